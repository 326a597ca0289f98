// The mathematical functions that the sources use, as Microsoft's headers declare them. The headers
// in this folder stand in for Microsoft's: make lint-msvc compiles the sources with them.
#pragma once
#define HUGE_VAL ((double)INFINITY)
#define INFINITY ((float)(1e300 * 1e300))
#define NAN (-(float)(INFINITY * 0.0F))
#define isnan(x) ((x) != (x))
double ceil(double x);
double fabs(double x);
float fabsf(float x);
double floor(double x);
double fmax(double x, double y);
double fmin(double x, double y);
double fmod(double x, double y);
double frexp(double x, int *exponent);
double ldexp(double x, int exponent);
double nearbyint(double x);
double nextafter(double x, double y);
double sqrt(double x);
float sqrtf(float x);
