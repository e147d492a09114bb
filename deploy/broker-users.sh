#!/bin/sh
# The users of the broker beside its administrator, each with what it needs and no more:
#
#   detourage_service   the processes: their queues; reads pages, writes articles
#   crawler             writes pages, on the exchange crawler.pages; reads links
#   recogniser          reads articles and repeats, and has a queue for those that it cannot read
#
# On a host whose rabbitmqctl reaches the node, as often as one likes; arguments are handed to
# rabbitmqctl, as in `deploy/broker-users.sh --node rabbit@host`. New passwords are taken over. They
# come from BROKER_SERVICE_PASSWORD, BROKER_CRAWLER_PASSWORD and BROKER_RECOGNISER_PASSWORD.
# With a DETOURAGE_QUEUE_PREFIX, begin each name in the expressions with it.
set -eu
: "${BROKER_SERVICE_PASSWORD:?}" "${BROKER_CRAWLER_PASSWORD:?}" "${BROKER_RECOGNISER_PASSWORD:?}"

known=$(rabbitmqctl --quiet "$@" list_users)

# user NAME PASSWORD: makes it, or changes its password, which goes by standard input so that no
# list of processes shows it.
user() {
    name=$1 password=$2
    shift 2
    case "
$known" in
        *"
$name	"*) change=change_password ;;
        *) change=add_user ;;
    esac
    printf '%s\n' "$password" | rabbitmqctl --quiet "$@" "$change" "$name" >/dev/null
}

# rights NAME CONFIGURE WRITE READ: of resources whose whole name matches.
rights() {
    name=$1 configure=$2 write=$3 read=$4
    shift 4
    rabbitmqctl --quiet "$@" set_permissions --vhost / "$name" "$configure" "$write" "$read"
}

# Queues and exchanges of the service, and those that Celery makes of its own accord.
own='crawler\.pages.*|articles(\.repeats)?|links|detourage\..*|celery.*|.*\.celery\.pidbox|amq\.gen.*'
# Queues that it fills for others.
outgoing='entities\.(articles|repeats)|crawler\.links'
unreadable='entities\.articles\.unreadable'

user detourage_service "$BROKER_SERVICE_PASSWORD" "$@"
rights detourage_service "^($own|$outgoing)\$" "^($own|$outgoing|amq\.default)\$" "^($own)\$" "$@"

user crawler "$BROKER_CRAWLER_PASSWORD" "$@"
rights crawler '^$' '^crawler\.pages$' '^crawler\.links$' "$@"

user recogniser "$BROKER_RECOGNISER_PASSWORD" "$@"
rights recogniser "^$unreadable\$" "^$unreadable\$" '^entities\.(articles(\.unreadable)?|repeats)$' "$@"
