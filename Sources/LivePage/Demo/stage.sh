# A broker and a daemon of `facet demo`, until SIGTERM or the end of that program, whose process is DEMO_PROGRAM. Takes
# DEMO_FILES (a directory, which it removes), DEMO_PORT, DEMO_DAEMON and DEMO_SOURCE.
# The file "ready" is there once the broker runs; without it the script ends: a program is not installed, or does not start.
PATH=$PATH:/usr/sbin broker='' daemon='' pause=''
end() {
    # Again until they are gone: a process that the shell has only just forked loses the signal.
    for process in $daemon $broker $pause; do
        while kill "$process" 2>/dev/null; do sleep 0.1; done
    done
    wait
    rm -rf "$DEMO_FILES"
}
trap end EXIT
trap 'exit 0' TERM
command -v mosquitto >/dev/null && [ -x "$DEMO_DAEMON" ] || exit 1
{
    printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$DEMO_PORT"
    # Debian's mosquitto gives up root for a user who cannot read here, unless its settings say root.
    [ "$(id -u)" != 0 ] || echo 'user root'
} >"$DEMO_FILES/broker.conf"
# Made here: the broker's shell may open it only after the first look into it.
: >"$DEMO_FILES/broker.log"
mosquitto -c "$DEMO_FILES/broker.conf" >>"$DEMO_FILES/broker.log" 2>&1 &
broker=$!
until grep -q ' running' "$DEMO_FILES/broker.log"; do
    kill -0 $broker 2>/dev/null || exit 1
    sleep 0.05
done
: >"$DEMO_FILES/ready"
# What the daemon publishes first, such as the enter of a face, must find its subscriber.
until grep -q 'as facet-demo-' "$DEMO_FILES/broker.log"; do
    kill -0 "$DEMO_PROGRAM" 2>/dev/null || exit 0
    sleep 0.05
done
"$DEMO_DAEMON" --source "$DEMO_SOURCE" --loop --mqtt "mqtt://127.0.0.1:$DEMO_PORT" --set preview.enabled=true \
    --set preview.rate=15 --set "outbox.path=$DEMO_FILES/outbox.sqlite" >"$DEMO_FILES/daemon.log" 2>&1 &
daemon=$!
# A closed terminal or pipe ends the program at once: it cannot always say so.
while kill -0 "$DEMO_PROGRAM" 2>/dev/null; do
    kill -0 $daemon 2>/dev/null || {
        # A daemon ends by itself only where its source cannot work, such as a file that is not there.
        trap '' TERM
        cat "$DEMO_FILES/daemon.log" >&2
        kill "$DEMO_PROGRAM"
        exit 1
    }
    sleep 1 >/dev/null 2>&1 &
    pause=$!
    wait $pause
done
