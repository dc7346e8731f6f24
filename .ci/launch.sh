# Sourced by the scripts that run Maven or a module of this checkout. POSIX sh. It builds the module
# into target/launch if it is missing or older than its sources, and finds the JDK that Maven found.
#
#   launch_select NAME ROOT        sets java_home, without a build
#   launch_prepare NAME MODULE     builds, sets java_home and class_path; tells on the standard error
#                                  what it builds
#   launch_quicken CLASS [ARG]...  sets start_cache to what -XX:AOTCache takes, for a faster start;
#                                  it is made by a run of this class after each build
#
# What is missing is said in one sentence, and ends the script.

launch_release=25 # as java.release in pom.xml

launch_say() {
  echo "$launch_name: $1" >&2
}

launch_fail() {
  launch_say "$1"
  exit 1
}

# Whether this is the folder of a JDK that will do. It may have become another since it was noted.
launch_is_jdk() { # FOLDER
  [ -x "$1/bin/java" ] || return 1
  # Not by a start of the JVM, which takes longer, unless it must be.
  jdk_version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null) || jdk_version=
  [ -n "$jdk_version" ] ||
    jdk_version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
  [ "${jdk_version:-0}" -ge $launch_release ]
}

# Sets java_home to the JDK that the last run of Maven noted, if it will do.
launch_find_jdk() {
  [ -f "$launch_settings" ] || return 1
  java_home=$(sed -n 's/^ *java\.home = //p' "$launch_settings" | tr -d '\r') # Windows ends lines with it
  launch_is_jdk "$java_home"
}

# Whether the build is missing, or older than what it is made of.
launch_is_old() {
  launch_find_jdk && [ -d "$launch_target/lib" ] || return 0
  changed=$(find "$launch_root/pom.xml" "$launch_module/pom.xml" "$launch_module/src/main" \
    "$launch_root/core/pom.xml" "$launch_root/core/src/main" \
    "$launch_root/flyweight/pom.xml" "$launch_root/flyweight/src/main" \
    "$launch_root/queues/pom.xml" "$launch_root/queues/src/main" \
    "$launch_root/queues/cache/pom.xml" "$launch_root/queues/cache/src/main" \
    "$launch_root/disruptor/pom.xml" "$launch_root/disruptor/src/main" \
    "$launch_root/telemetry/pom.xml" "$launch_root/telemetry/src/main" \
    "$launch_root/telemetry/tool/pom.xml" "$launch_root/telemetry/tool/src/main" \
    "$launch_root/ohlcv-example/pom.xml" "$launch_root/ohlcv-example/src/main" \
    "$launch_root/stress/simulator/pom.xml" "$launch_root/stress/simulator/src/main" \
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

# Runs Maven, which notes the JDK that it found.
launch_maven() { # ARGUMENT...
  command -v mvn >/dev/null 2>&1 ||
    launch_fail "Millrace is built by Maven, and there is no mvn on the PATH: install Maven 3.8 or later."
  log=$(mktemp "${TMPDIR:-/tmp}/millrace.XXXXXX") || launch_fail "no temporary file can be made"
  trap 'rm -f "$log"' EXIT
  trap 'rm -f "$log"; exit 130' INT TERM
  rm -f "$launch_settings"
  # A short run of Maven is faster with C1.
  MAVEN_OPTS="-XX:TieredStopAtLevel=1 ${MAVEN_OPTS-}" \
    mvn -B -Plaunch -f "$launch_root/pom.xml" "$@" 2>&1 </dev/null | launch_follow >"$log" || : # seen below
  if ! grep -q 'BUILD SUCCESS' "$log" || ! launch_find_jdk; then
    launch_explain
  fi
  rm -f "$log"
  trap - EXIT INT TERM
}

# Ends the script with the reason why Maven failed, in one sentence if it found no JDK.
launch_explain() {
  selected=$(sed -n 's/.*Selected JDK toolchain: JDK\[\(.*\)\].*/\1/p' "$log" | tail -n 1)
  absent=$(sed -n 's/.*Non-existing JDK home configuration at \(.*\) -> .*/\1/p' "$log" | head -n 1)
  if grep -q 'JAVA_HOME.* not defined correctly\|nor is JAVA_HOME set' "$log"; then # says the script mvn
    [ -z "${JAVA_HOME-}" ] || launch_fail "JAVA_HOME is not the folder of a JDK: $JAVA_HOME"
    launch_fail "Maven finds no java: set JAVA_HOME to a JDK $launch_release or later."
  elif grep -q -i 'cannot find matching toolchain' "$log"; then
    launch_fail "Millrace needs JDK $launch_release or later, and Maven found none: install one, and where Maven does not find it, name it in JAVA_HOME or ~/.m2/toolchains.xml."
  elif [ -n "$absent" ]; then
    launch_fail "toolchains.xml names a JDK that does not exist: $absent"
  elif [ -n "$selected" ] && ! launch_is_jdk "$selected"; then
    launch_fail "Maven takes this for a JDK $launch_release or later, and it is not: $selected (see toolchains.xml and discovered-jdk-toolchains-cache.xml in ~/.m2)"
  fi
  grep -v -e INFO -e '^WARNING: ' "$log" >&2 || tail -n 20 "$log" >&2 # if Maven was killed
  launch_fail "the build has failed."
}

launch_select() {
  launch_name=$1
  launch_root=$2
  launch_settings=$launch_root/target/launch/jdk-settings.txt
  launch_maven -N toolchains:select-jdk-toolchain@find-jdk exec:exec@note-jdk
}

# The profile leaves to mvn verify what a start does not need.
launch_build() {
  if [ ! -d "$launch_target" ]; then
    launch_say "building, which is needed once and takes less than a minute"
  elif [ ! -f "$launch_settings" ]; then
    launch_say "building again, because the last build did not finish"
  elif launch_find_jdk; then
    launch_say "building again, because sources have changed"
  else
    launch_say "building again, because its JDK is gone or too old: $java_home"
  fi
  rm -f "$launch_cache"
  launch_maven -pl "${launch_module#"$launch_root/"}" -am package
}

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
