#!/bin/sh
# Runs the command line with the service's settings, as the service's user: `sudo resource-api check --deploy`.
# Install it as /usr/local/sbin/resource-api.
set -eu
umask 077
set -a
. /etc/resource-api/environment
set +a
cd /var/lib/resource-api
exec setpriv --reuid=resource-api --regid=resource-api --clear-groups --no-new-privs \
    /usr/bin/node /opt/resource-api/dist/lib/cli.js "$@"
