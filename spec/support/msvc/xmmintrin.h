// The functions for the state of SSE that the sources use, as Microsoft's headers declare them (see
// math.h).
#pragma once
unsigned int _mm_getcsr(void);
void _mm_setcsr(unsigned int state);
