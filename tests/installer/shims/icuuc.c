/* Wine only: Windows' ICU, of which Qt 6.10 and later import the converters. Each answers "unsupported" (16). */
#define X __declspec(dllexport)
static void *refuse(int *error)
{
    if (error)
        *error = 16;
    return 0;
}
X void *ucnv_open(const char *name, int *error) { (void)name; return refuse(error); }
X void ucnv_close(void *converter) { (void)converter; }
X void ucnv_reset(void *converter) { (void)converter; }
X signed char ucnv_getMaxCharSize(const void *converter) { (void)converter; return 1; }
X const char *ucnv_getName(const void *converter, int *error) { (void)converter; refuse(error); return ""; }
X void ucnv_getToUCallBack(void) {}
X void ucnv_getFromUCallBack(void) {}
X void ucnv_setToUCallBack(void) {}
X void ucnv_setFromUCallBack(void) {}
X void ucnv_cbToUWriteUChars(void) {}
X void ucnv_cbFromUWriteUChars(void) {}
X void UCNV_FROM_U_CALLBACK_SUBSTITUTE(void) {}
X void UCNV_TO_U_CALLBACK_SUBSTITUTE(void) {}
X void ucnv_toUnicode(void) {}
X void ucnv_fromUnicode(void) {}
X int ucnv_toUCountPending(void *converter, int *error) { (void)converter; refuse(error); return 0; }
X int ucnv_fromUCountPending(void *converter, int *error) { (void)converter; refuse(error); return 0; }
X const char *ucnv_getStandardName(const char *name, const char *standard, int *error) { (void)name, (void)standard; return refuse(error); }
X const char *ucnv_getAvailableName(int index) { (void)index; return 0; }
X int ucnv_countAvailable(void) { return 0; }
int __stdcall DllMainCRTStartup(void *instance, unsigned reason, void *reserved) { return instance || reason || reserved || 1; }
