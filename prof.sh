# usage: prof.sh REQUESTS SECONDS
rm -rf /tmp/prof; mkdir /tmp/prof
DATA_DIR=$PWD/bench/data/200000 PORT=4555 DEMO=off LOG_LEVEL=info NODE_ENV=production SECRET_KEY=0123456789012345678901234567890123456789 PUBLIC_URL=http://127.0.0.1:4555 RATE_LIMIT=0 SMS_DRIVER=console node --cpu-prof --cpu-prof-dir=/tmp/prof src/main.ts serve > /tmp/prof/out 2>&1 &
P=$!
for i in $(seq 100); do sleep 0.3; grep -q "index is loaded" /tmp/prof/out && break; done
grep "index is loaded" /tmp/prof/out
wrk -t1 -c64 -d${2}s --timeout 5s -s bench/requests.lua http://127.0.0.1:4555 $1 once | grep RESULT
kill -TERM $P; wait $P
