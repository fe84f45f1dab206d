/* Wine only: what Qt's Windows platform calls at its start and Wine 10 lacks. The rest is handed on to Wine's own. */
void *shim_WcsCreateIccProfile(void *profile, unsigned options) { (void)profile, (void)options; return 0; }
int __stdcall DllMainCRTStartup(void *instance, unsigned reason, void *reserved) { return instance || reason || reserved || 1; }
