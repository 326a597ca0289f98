-- True in slow runs: under sanitizers, in an emulator, or during collector torture. Heavy specs are then shorter or
-- skipped.

return os.getenv "CUTTLE_SANITIZER" == "1" or os.getenv "CUTTLE_EMULATED" == "1" or os.getenv "CUTTLE_TORTURE" == "1"
