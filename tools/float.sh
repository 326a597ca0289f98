#!/bin/sh
# Prints the flags for $CC to compute floats as floats, where it would use wider numbers: x87 on i386 (also with gcc
# -m32), doubles on s390x. Every build gives the same bits; src/base/base.h refuses one that does not.
macros=$(${CC:-cc} -std=c99 -dM -E -x c /dev/null 2>/dev/null)
case $macros in
*'__i386__ 1'*) echo -msse2 -mfpmath=sse ;;
*'__FLT_EVAL_METHOD__ 1'*) echo -fexcess-precision=fast ;;
esac
