# Sourced by the scripts that run a module of this checkout: builds the module if it is missing or
# older than its sources, and finds the JDK that Maven found. POSIX sh.
#
#   launch_prepare NAME MODULE   sets java_home and class_path; says in one sentence what is missing

launch_fail() {
  echo "$launch_name: $1" >&2
  exit 1
}

# Whether the build is missing, or older than what it is made of.
launch_is_old() {
  [ -f "$launch_settings" ] && [ -d "$launch_module/target/lib" ] || return 0
  java_home=$(sed -n 's/^ *java\.home = //p' "$launch_settings")
  [ -x "$java_home/bin/java" ] || return 0
  changed=$(find "$launch_root/pom.xml" "$launch_module/pom.xml" "$launch_module/src/main" \
    "$launch_root/core/pom.xml" "$launch_root/core/src/main" \
    "$launch_root/flyweight/pom.xml" "$launch_root/flyweight/src/main" \
    "$launch_root/queues/pom.xml" "$launch_root/queues/src/main" \
    "$launch_root/disruptor/pom.xml" "$launch_root/disruptor/src/main" \
    "$launch_root/telemetry/pom.xml" "$launch_root/telemetry/src/main" \
    "$launch_root/telemetry/tool/pom.xml" "$launch_root/telemetry/tool/src/main" \
    "$launch_root/stress/report/pom.xml" "$launch_root/stress/report/src/main" \
    -type f -newer "$launch_settings" 2>/dev/null | head -n 1)
  [ -n "$changed" ]
}

# Tests, documentation and the check of the format are for mvn verify.
launch_build() {
  command -v mvn >/dev/null 2>&1 ||
    launch_fail "Millrace is built by Maven, and there is no mvn on the PATH: install Maven 3.8 or later."
  [ -t 2 ] && echo "$launch_name: building, which is needed once ..." >&2
  log=$(mktemp "${TMPDIR:-/tmp}/millrace.XXXXXX") || launch_fail "no temporary file can be made"
  trap 'rm -f "$log"' EXIT
  trap 'rm -f "$log"; exit 130' INT TERM
  rm -f "$launch_settings"
  if ! mvn -B -q -f "$launch_root/pom.xml" -pl "${launch_module#"$launch_root/"}" -am package \
    -Dmaven.test.skip=true -Dmaven.javadoc.skip=true -Dmaven.source.skip=true -Dformat.skip=true \
    >"$log" 2>&1 </dev/null; then
    if grep -q -i 'cannot find matching toolchain' "$log"; then
      launch_fail "$launch_no_jdk"
    fi
    cat "$log" >&2
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
  launch_settings=$launch_module/target/jdk-settings.txt # written last by the build
  if launch_is_old; then
    launch_build
  fi
  class_path="$launch_module/target/$(basename "$launch_module").jar:$launch_module/target/lib/*"
}
