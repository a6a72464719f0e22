#include "CTerminal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct {
    int descriptor;
    struct termios original, raw;
    const char *enter, *leave;
} terminal;

static volatile sig_atomic_t is_taken, was_resumed;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT};
enum { endings = sizeof ending / sizeof *ending };

// What these did before the terminal was taken, and the two of a suspension.
static struct sigaction usual[endings], usual_suspend, usual_resume;

static void write_all(const char *bytes) {
    size_t length = strlen(bytes);
    while (length > 0) {
        ssize_t written = write(terminal.descriptor, bytes, length);
        if (written < 0 && errno != EINTR) return;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
}

static void enter(void) {
    tcsetattr(terminal.descriptor, TCSADRAIN, &terminal.raw);
    write_all(terminal.enter);
}

static void leave(void) {
    write_all(terminal.leave);
    tcsetattr(terminal.descriptor, TCSADRAIN, &terminal.original);
}

/// Lets the signal have its usual effect, once this handler has returned.
static void raise_again(int number) {
    signal(number, SIG_DFL);
    raise(number);
}

static void on_end(int number) {
    if (is_taken) {
        is_taken = 0;
        leave();
    }
    raise_again(number);
}

static void on_suspend(int number) {
    int saved = errno;
    if (is_taken) leave();
    raise_again(number);
    errno = saved;
}

static void watch_suspension(void);

static void on_resume(int number) {
    (void)number;
    int saved = errno;
    if (is_taken) {
        watch_suspension();
        enter();
        was_resumed = 1;
    }
    errno = saved;
}

static void handle(int number, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void watch_suspension(void) {
    handle(SIGTSTP, on_suspend);
    handle(SIGCONT, on_resume);
}

bool facet_terminal_take(int descriptor, const char *enter_text, const char *leave_text) {
    if (tcgetattr(descriptor, &terminal.original) != 0) return false;
    terminal.descriptor = descriptor;
    terminal.raw = terminal.original;
    // Keys come at once and are not shown; signals by keys stay.
    terminal.raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    terminal.raw.c_cc[VMIN] = 1;
    terminal.raw.c_cc[VTIME] = 0;
    terminal.enter = enter_text;
    terminal.leave = leave_text;
    is_taken = 1;
    for (size_t i = 0; i < endings; i++) {
        sigaction(ending[i], NULL, &usual[i]);
        // Under nohup, SIGHUP is ignored and must stay so.
        if (ending[i] != SIGHUP || usual[i].sa_handler != SIG_IGN) handle(ending[i], on_end);
    }
    sigaction(SIGTSTP, NULL, &usual_suspend);
    sigaction(SIGCONT, NULL, &usual_resume);
    watch_suspension();
    enter();
    return true;
}

void facet_terminal_release(void) {
    if (!is_taken) return;
    is_taken = 0;
    leave();
    for (size_t i = 0; i < endings; i++) sigaction(ending[i], &usual[i], NULL);
    sigaction(SIGTSTP, &usual_suspend, NULL);
    sigaction(SIGCONT, &usual_resume, NULL);
}

bool facet_terminal_was_resumed(void) {
    bool result = was_resumed;
    was_resumed = 0;
    return result;
}
