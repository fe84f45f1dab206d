/* Wine only: complex numbers of the C runtime, stubs in Wine 10 that end the process, which numpy 2 calls. The rest is
 * handed on to Wine's own. A complex number is passed as Windows does: a structure of two.
 */
#include <complex.h>
#include <math.h>

typedef struct { float r, i; } fc;
typedef struct { double r, i; } dc;

static float complex to_f(fc a) { return __builtin_complex(a.r, a.i); }
static double complex to_d(dc a) { return __builtin_complex(a.r, a.i); }
static fc from_f(float complex z) { fc a = {crealf(z), cimagf(z)}; return a; }
static dc from_d(double complex z) { dc a = {creal(z), cimag(z)}; return a; }

#define PARTS(suffix, real, type, x)                                                  \
    real shim_creal##suffix(type a) { return a.r; }                                   \
    real shim_cimag##suffix(type a) { return a.i; }                                   \
    real shim_cabs##suffix(type a) { return hypot##x(a.r, a.i); }                     \
    real shim_carg##suffix(type a) { return atan2##x(a.i, a.r); }                     \
    type shim_conj##suffix(type a) { a.i = -a.i; return a; }
PARTS(f, float, fc, f)
PARTS(, double, dc, )
PARTS(l, double, dc, ) /* long double is double on Windows */

#define ONE(name)                                                                     \
    fc shim_c##name##f(fc a) { return from_f(c##name##f(to_f(a))); }                  \
    dc shim_c##name(dc a) { return from_d(c##name(to_d(a))); }                        \
    dc shim_c##name##l(dc a) { return from_d(c##name(to_d(a))); }
ONE(exp) ONE(log) ONE(sin) ONE(cos) ONE(tan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(sqrt)
ONE(asin) ONE(acos) ONE(atan) ONE(asinh) ONE(acosh) ONE(atanh)

fc shim_cpowf(fc a, fc b) { return from_f(cpowf(to_f(a), to_f(b))); }
dc shim_cpow(dc a, dc b) { return from_d(cpow(to_d(a), to_d(b))); }
dc shim_cpowl(dc a, dc b) { return from_d(cpow(to_d(a), to_d(b))); }

int __stdcall DllMainCRTStartup(void *instance, unsigned reason, void *reserved) { return instance || reason || reserved || 1; }
