package dev.millrace.stress.proof;

import dev.millrace.stress.jcstress.JcstressCheck;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Options;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.openjdk.jcstress.Main;

/**
 * A test that another tool than the simulator runs.
 *
 * @param key its name in the ledger: the class's, and the method's where it has more than one
 * @param type the type under test, by simple name
 * @param tool what runs it
 * @param className the name of its class
 * @param selector what runs it alone, as the tool wants it: the method, or jcstress's name of the
 *     class; or empty
 */
record ToolTest(String key, String type, Tool tool, String className, String selector) {
  /** A tool and the options that it is run with. */
  @SuppressWarnings("ImmutableEnumChecker") // it is unmodifiable
  enum Tool {
    LITMUS("litmus tests", "", "-Xmx3g", "--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED"),

    /*
     * Lincheck rewrites classes as they are loaded, those of the JDK too, and asks for what a user of
     * the library must not need. Without assertions, for those of the single-caller sides are fences,
     * behind which weak orderings would hide.
     */
    LINCHECK(
        "Lincheck tests",
        versionOf(Options.class),
        "-Xmx1g",
        "-XX:+EnableDynamicAgentLoading",
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow"),

    /*
     * Its JVMs inherit the options of the one that starts them: no warnings; and the padding of its
     * own objects, for which it looks in vain where a class path has folders. No assertions, as above.
     */
    JCSTRESS(
        "jcstress tests",
        versionOf(Main.class),
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-XX:-RestrictContended");

    final String plural;
    final String version;
    final List<String> options;

    Tool(String plural, String version, String... options) {
      this.plural = plural;
      this.version = version;
      this.options = List.of(options);
    }

    /** The version of a library, which the name of its jar ends with. */
    private static String versionOf(Class<?> member) {
      String jar = member.getProtectionDomain().getCodeSource().getLocation().getPath();
      return jar.substring(jar.lastIndexOf('/') + 1);
    }
  }

  private static final String LINCHECK_PACKAGE = "dev.millrace.stress.lincheck";
  private static final String LITMUS_CLASS = "dev.millrace.simulator.LitmusTest"; // of its module

  /** All tests, in the order of their keys. */
  static List<ToolTest> all() throws IOException {
    List<ToolTest> tests = new ArrayList<>();
    tests.add(new ToolTest("LitmusTest", "simulator", Tool.LITMUS, LITMUS_CLASS, ""));
    addLincheck(tests);
    for (String name : JcstressCheck.tests()) {
      String test = JcstressCheck.shortName(name);
      if (!isBroken(name)) {
        String className = JcstressCheck.binaryName(name);
        tests.add(new ToolTest(test, typeOf(test), Tool.JCSTRESS, className, name));
      }
    }
    tests.sort(Comparator.comparing(ToolTest::key));
    return tests;
  }

  /** The type that a test is for, by its key, also where the test is gone. */
  static String typeOf(String key) {
    return key.replaceFirst("(LincheckTest|_).*", "");
  }

  /**
   * The jcstress tests that must fail, for of a tool that never fails one cannot tell whether it
   * could.
   */
  static List<String> broken() {
    return JcstressCheck.tests().stream().filter(ToolTest::isBroken).toList();
  }

  private static boolean isBroken(String name) {
    return JcstressCheck.shortName(name).startsWith("Broken_");
  }

  private static void addLincheck(List<ToolTest> tests) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectPackage(LINCHECK_PACKAGE))
            .filters(TagFilter.includeTags("lincheck"))
            .build();
    TestPlan plan = LauncherFactory.create().discover(request);
    for (TestIdentifier root : plan.getRoots()) {
      for (TestIdentifier test : plan.getDescendants(root)) {
        if (test.getSource().orElse(null) instanceof MethodSource method) {
          String className = method.getClassName();
          String selector =
              className
                  + "#%s(%s)".formatted(method.getMethodName(), method.getMethodParameterTypes());
          String key = className.replaceAll(".*\\.", "") + "." + method.getMethodName();
          tests.add(new ToolTest(key, typeOf(key), Tool.LINCHECK, className, selector));
        }
      }
    }
  }
}
