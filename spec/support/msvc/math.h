// What the sources take from the C library, declared as Microsoft's headers do: make lint-msvc
// compiles with these.
#pragma once
#define INFINITY ((float)(1e300 * 1e300))
#define NAN (-(float)(INFINITY * 0.0F))
double fabs(double x);
float fabsf(float x);
double floor(double x);
double fmax(double x, double y);
double fmin(double x, double y);
double fmod(double x, double y);
double sqrt(double x);
float sqrtf(float x);
