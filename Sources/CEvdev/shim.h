#include <libevdev/libevdev-uinput.h>
