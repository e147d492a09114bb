#!/bin/sh
# Creates the broker users, each with the least privileges that it needs:
#
#   detourage_service   the processes: own the queues, consume pages, publish articles
#   crawler             publishes pages to the exchange crawler.pages
#   recogniser          consumes articles, and has a queue for unreadable articles
#
# The script also keeps the broker from dropping messages that these users return to their queues, and
# limits the queue of pages, since each page in this queue waits for all pages received before.
#
# Run it on a host whose rabbitmqctl can reach the node. It is idempotent and applies new passwords,
# taken from BROKER_SERVICE_PASSWORD, BROKER_CRAWLER_PASSWORD and BROKER_RECOGNISER_PASSWORD.
# Arguments are passed to rabbitmqctl, as in `deploy/broker-users.sh --node rabbit@host`.
# If DETOURAGE_QUEUE_PREFIX is set, add the prefix to each name in the expressions below.
set -eu
: "${BROKER_SERVICE_PASSWORD:?}" "${BROKER_CRAWLER_PASSWORD:?}" "${BROKER_RECOGNISER_PASSWORD:?}"

existing_users=$(rabbitmqctl --quiet "$@" list_users)

# user NAME PASSWORD: creates the user or changes its password, which is passed on standard input to
# keep it out of process listings.
user() {
    name=$1 password=$2
    shift 2
    case "
$existing_users" in
        *"
$name	"*) change=change_password ;;
        *) change=add_user ;;
    esac
    printf '%s\n' "$password" | rabbitmqctl --quiet "$@" "$change" "$name" >/dev/null
}

# rights NAME CONFIGURE WRITE READ: regular expressions for complete resource names.
rights() {
    name=$1 configure=$2 write=$3 read=$4
    shift 4
    rabbitmqctl --quiet "$@" set_permissions --vhost / "$name" "$configure" "$write" "$read"
}

# Queues and exchanges that belong to the service, its neighbours and Celery.
own='crawler\.pages.*|articles|stories(\.first|\.articles(\.quarantine)?)?|detourage\..*|celery.*|.*\.celery\.pidbox|amq\.gen.*'
# The queue that the service fills for other systems.
outgoing='entities\.articles'
unreadable='entities\.articles\.unreadable'

user detourage_service "$BROKER_SERVICE_PASSWORD" "$@"
rights detourage_service "^($own|$outgoing)\$" "^($own|$outgoing|amq\.default)\$" "^($own)\$" "$@"

user crawler "$BROKER_CRAWLER_PASSWORD" "$@"
rights crawler '^$' '^crawler\.pages$' '^$' "$@"

user recogniser "$BROKER_RECOGNISER_PASSWORD" "$@"
rights recogniser "^$unreadable\$" "^$unreadable\$" '^entities\.articles(\.unreadable)?$' "$@"

# RabbitMQ 4 drops a message that its reader has returned twenty times, unless the queue has a limit.
# Since this is an operator policy, you can still apply a policy of your own, such as a lower limit.
rabbitmqctl --quiet "$@" set_operator_policy --vhost / --apply-to queues detourage_outgoing \
    "^($outgoing)\$" '{"delivery-limit": 1000000000}'

# Beyond the limit, the broker rejects messages, and the crawler publishes them again. The intake takes
# a few seconds for this number of pages; once they are stored, their sites take turns.
rabbitmqctl --quiet "$@" set_operator_policy --vhost / --apply-to queues detourage_pages \
    '^crawler\.pages$' "{\"max-length\": ${BROKER_PAGES_LIMIT:-500}}"
