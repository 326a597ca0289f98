// Loops in C over bare arrays, the limit of the benches in Lua. Must not depend on the core. Built
// as a library, called through the FFI.
#include <stddef.h>

void bench_move(float *restrict px, float *restrict py, float *restrict pz,
                const float *restrict vx, const float *restrict vy, const float *restrict vz,
                float dt, size_t count);

void bench_move(float *restrict px, float *restrict py, float *restrict pz,
                const float *restrict vx, const float *restrict vy, const float *restrict vz,
                float dt, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        px[i] += vx[i] * dt;
        py[i] += vy[i] * dt;
        pz[i] += vz[i] * dt;
    }
}

void bench_move_in_doubles(float *restrict p, const float *restrict v, double dt, size_t count);

void bench_move_in_doubles(float *restrict p, const float *restrict v, double dt, size_t count) {
    for (size_t i = 0; i < 3 * count; ++i)
        p[i] = (float)((double)p[i] + (double)v[i] * dt);
}
