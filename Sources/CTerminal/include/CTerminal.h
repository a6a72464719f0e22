#ifndef FACET_CTERMINAL_H
#define FACET_CTERMINAL_H

#include <stdbool.h>
#include <termios.h>

/// Takes the terminal over: sets `raw`, writes `enter`, and gives the terminal back however the program ends.
///
/// From then on a fatal signal, SIGINT, SIGTERM, SIGHUP and SIGQUIT write `leave`, restore the terminal's settings and
/// then do what they always do. SIGTSTP does so too, and SIGCONT takes the terminal over again.
/// The texts must live until `facet_terminal_release`. Only signal handlers in C can do this: they may call nothing but
/// async-signal-safe functions, which Swift cannot promise.
/// Returns false, with errno set, if the descriptor is no terminal.
bool facet_terminal_take(int descriptor, const char *enter, const char *leave);

/// Gives the terminal back. Calling it again does nothing.
void facet_terminal_release(void);

/// Whether the program was suspended and is back since the last call: everything must be drawn anew.
bool facet_terminal_was_resumed(void);

#endif
