-- Whether everything is slow here: under sanitizers, in an emulator, or while the collector is tormented. Heavy specs
-- shrink then, or stay away.

return os.getenv "CUTTLE_SANITIZER" == "1" or os.getenv "CUTTLE_EMULATED" == "1" or os.getenv "CUTTLE_TORTURE" == "1"
