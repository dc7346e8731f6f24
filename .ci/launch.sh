# Sourced by the scripts that run a module of this checkout: builds the module into target/launch if
# it is missing or older than its sources, and finds the JDK that Maven found. POSIX sh.
#
#   launch_prepare NAME MODULE     sets java_home and class_path; tells on the standard error what it
#                                  builds, or in one sentence what is missing
#   launch_quicken CLASS [ARG]...  sets start_cache to what -XX:AOTCache takes, for a faster start;
#                                  it is made by a run of this class after each build

launch_say() {
  echo "$launch_name: $1" >&2
}

launch_fail() {
  launch_say "$1"
  exit 1
}

# Whether the build is missing, or older than what it is made of.
launch_is_old() {
  [ -f "$launch_settings" ] && [ -d "$launch_target/lib" ] || return 0
  java_home=$(sed -n 's/^ *java\.home = //p' "$launch_settings")
  [ -x "$java_home/bin/java" ] || return 0
  changed=$(find "$launch_root/pom.xml" "$launch_module/pom.xml" "$launch_module/src/main" \
    "$launch_root/core/pom.xml" "$launch_root/core/src/main" \
    "$launch_root/flyweight/pom.xml" "$launch_root/flyweight/src/main" \
    "$launch_root/queues/pom.xml" "$launch_root/queues/src/main" \
    "$launch_root/disruptor/pom.xml" "$launch_root/disruptor/src/main" \
    "$launch_root/telemetry/pom.xml" "$launch_root/telemetry/src/main" \
    "$launch_root/telemetry/tool/pom.xml" "$launch_root/telemetry/tool/src/main" \
    "$launch_root/ohlcv-example/pom.xml" "$launch_root/ohlcv-example/src/main" \
    "$launch_root/stress/report/pom.xml" "$launch_root/stress/report/src/main" \
    -type f -newer "$launch_settings" 2>/dev/null | head -n 1)
  [ -n "$changed" ]
}

# Copies Maven's output, and tells which module is built, and once that libraries are fetched.
launch_follow() {
  fetching=
  while IFS= read -r line; do
    printf '%s\n' "$line"
    case $line in
      *'[INFO] Building '*'/'*']') # Building Millrace core 0.1.0-SNAPSHOT      [2/9]
        title=${line#*Building }
        step=${title##*\[}
        title=${title%%  *}
        launch_say "  ${step%]} ${title% *}"
        ;;
      *' Downloading from '*)
        [ -n "$fetching" ] || launch_say "  fetching libraries, which takes longer"
        fetching=yes
        ;;
    esac
  done
}

# The profile leaves to mvn verify what a start does not need. A short run of Maven is faster with C1.
launch_build() {
  command -v mvn >/dev/null 2>&1 ||
    launch_fail "Millrace is built by Maven, and there is no mvn on the PATH: install Maven 3.8 or later."
  if [ -d "$launch_target" ]; then
    launch_say "building again, because sources have changed"
  else
    launch_say "building, which is needed once and takes less than a minute"
  fi
  log=$(mktemp "${TMPDIR:-/tmp}/millrace.XXXXXX") || launch_fail "no temporary file can be made"
  trap 'rm -f "$log"' EXIT
  trap 'rm -f "$log"; exit 130' INT TERM
  rm -f "$launch_settings" "$launch_cache"
  MAVEN_OPTS="-XX:TieredStopAtLevel=1 ${MAVEN_OPTS-}" \
    mvn -B -Plaunch -f "$launch_root/pom.xml" -pl "${launch_module#"$launch_root/"}" -am package \
    2>&1 </dev/null | launch_follow >"$log"
  if ! grep -q 'BUILD SUCCESS' "$log"; then
    if grep -q -i 'cannot find matching toolchain' "$log"; then
      launch_fail "$launch_no_jdk"
    fi
    grep -v 'INFO' "$log" >&2
    launch_fail "the build has failed."
  fi
  rm -f "$log"
  trap - EXIT INT TERM
  java_home=$(sed -n 's/^ *java\.home = //p' "$launch_settings")
  [ -x "$java_home/bin/java" ] || launch_fail "the build has not told where its JDK is."
}

launch_no_jdk="Millrace needs JDK 25 or later, and Maven found none: install one, and where Maven does not find it, name it in JAVA_HOME or ~/.m2/toolchains.xml."

launch_prepare() {
  launch_name=$1
  launch_module=$2
  launch_root=$(dirname "$launch_module")
  until [ -f "$launch_root/.ci/launch.sh" ]; do # telemetry/tool is two levels down
    launch_root=$(dirname "$launch_root")
  done
  launch_target=$launch_module/target/launch
  launch_settings=$launch_target/jdk-settings.txt # written last by the build
  launch_cache=$launch_target/start.aot
  if launch_is_old; then
    launch_build
  fi
  # One by one and not lib/*, for the cache holds only for the same class path in the same order.
  class_path=$launch_target/$(basename "$launch_module").jar
  for jar in "$launch_target"/lib/*.jar; do
    class_path=$class_path:$jar
  done
}

# Where no cache can be made it is empty, so that it is tried once. A JVM that cannot use its cache
# goes without it, but says so on the standard output unless -Xlog forbids it.
launch_quicken() {
  start_cache=$launch_cache
  [ -f "$start_cache" ] && return
  launch_say "preparing faster starts"
  new=$start_cache.$$
  "$java_home/bin/java" "-XX:AOTCacheOutput=$new" -cp "$class_path" "$@" >/dev/null 2>&1 </dev/null
  [ -f "$new" ] || : >"$new"
  mv -f "$new" "$start_cache"
}
