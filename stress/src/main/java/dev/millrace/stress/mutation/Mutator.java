package dev.millrace.stress.mutation;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Finds the ordering accesses of a class file and the bugs that can be planted around them, and
 * plants them one at a time.
 *
 * <p>The same bytes always give the same lists, in the order of the code. What is planted passes
 * the JVM's verification. Code that runs only with assertions enabled is left out, unless it is
 * asked for.
 *
 * <p>The planted bugs: an ordering that is one step weaker; a store that is left out; an update
 * that is not atomic; a condition the wrong way round, in methods with an ordering access; two
 * stores in the wrong order.
 */
public final class Mutator {
  private final ClassLoader loader;
  private final Set<String> accessors;
  private final boolean allJumps;
  private final boolean assertedCode;

  private Mutator(
      ClassLoader loader, Set<String> accessors, boolean allJumps, boolean assertedCode) {
    this.loader = loader;
    this.accessors = Set.copyOf(accessors);
    this.allJumps = allJumps;
    this.assertedCode = assertedCode;
  }

  /**
   * Makes a mutator.
   *
   * @param loader finds the class files of what the mutated classes refer to
   * @param accessors the names of the classes whose methods are access modes, such as {@code
   *     dev.millrace.core.Sequence}
   * @return the mutator
   */
  public static Mutator of(ClassLoader loader, Set<String> accessors) {
    return new Mutator(loader, accessors, false, false);
  }

  /**
   * Negates the jumps of all methods, also of those without an ordering access.
   *
   * @return another mutator
   */
  public Mutator withAllJumps() {
    return new Mutator(loader, accessors, true, assertedCode);
  }

  /**
   * Looks at assert statements too.
   *
   * @return another mutator
   */
  public Mutator withAssertedCode() {
    return new Mutator(loader, accessors, allJumps, true);
  }

  /** A bug, and how it is planted. */
  private record Plan(Mutation mutation, Map<Integer, Consumer<CodeBuilder>> edits) {}

  /**
   * Finds the ordering accesses.
   *
   * @param classBytes a class file
   * @return them, in the order of the code
   */
  public List<AccessSite> sites(byte[] classBytes) {
    List<AccessSite> sites = new ArrayList<>();
    for (MethodCode method : methods(ClassFile.of().parse(classBytes))) {
      method.sites().stream().filter(site -> isAskedFor(method, site.index())).forEach(sites::add);
    }
    return sites;
  }

  /**
   * Finds the bugs that can be planted.
   *
   * @param classBytes a class file
   * @return them, in the order of the code; no two have the same id
   */
  public List<Mutation> mutations(byte[] classBytes) {
    return plans(ClassFile.of().parse(classBytes)).stream().map(Plan::mutation).toList();
  }

  /**
   * Plants a bug.
   *
   * @param classBytes the class file that it was found in
   * @param mutation the bug
   * @return the class file with the bug
   * @throws IllegalArgumentException if it is none of this class file
   */
  public byte[] apply(byte[] classBytes, Mutation mutation) {
    ClassFile classFile =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(loader)
                    .orElse(ClassHierarchyResolver.defaultResolver())
                    .cached()));
    ClassModel model = classFile.parse(classBytes);
    Plan plan =
        plans(model).stream()
            .filter(one -> one.mutation().equals(mutation))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "mutation must be of the class file: mutation=" + mutation.id()));
    return classFile.transformClass(
        model,
        ClassTransform.transformingMethods(
            method -> isOf(method, mutation), MethodTransform.transformingCode(edit(plan))));
  }

  private static boolean isOf(MethodModel method, Mutation mutation) {
    return method.methodName().equalsString(mutation.method())
        && method.methodTypeSymbol().equals(mutation.descriptor());
  }

  private boolean isAskedFor(MethodCode code, int index) {
    return assertedCode || !code.isAsserted(index);
  }

  private List<MethodCode> methods(ClassModel model) {
    Declarations declarations = new Declarations(loader);
    declarations.add(model);
    SiteFinder finder = new SiteFinder(accessors, declarations);
    List<MethodCode> methods = new ArrayList<>();
    for (MethodModel method : model.methods()) {
      method
          .findAttribute(Attributes.code())
          .ifPresent(code -> methods.add(new MethodCode(model, method, code, finder)));
    }
    return methods;
  }

  private void negate(MethodCode method, int index, Operator.Sink sink) {
    if (allJumps || !method.sites().isEmpty()) {
      Operators.negate(method, index, sink);
    }
  }

  private List<Plan> plans(ClassModel model) {
    List<Operator> operators =
        List.of(Operators::weaken, Operators::drop, Operators::split, this::negate, new Swapper());
    Map<String, Integer> alike = new HashMap<>();
    List<Plan> plans = new ArrayList<>();
    for (MethodCode method : methods(model)) {
      for (int i = 0; i < method.size(); i++) {
        if (method.element(i) instanceof Instruction && isAskedFor(method, i)) {
          int index = i;
          for (Operator operator : operators) {
            operator.plant(
                method,
                index,
                (access, effect, ordering, edits) -> {
                  Mutation first = mutation(method, index, access, effect, ordering);
                  int number = alike.merge(first.reading(), 1, Integer::sum);
                  plans.add(new Plan(first.numbered(number), edits));
                });
          }
        }
      }
    }
    return plans;
  }

  private static Mutation mutation(
      MethodCode code, int index, String access, String effect, boolean ordering) {
    return new Mutation(
        code.owner().thisClass().asSymbol(),
        code.method().methodName().stringValue(),
        code.method().methodTypeSymbol(),
        index,
        code.line(index),
        access,
        effect,
        ordering,
        1);
  }

  /** Counts the elements and replaces those that are edited. */
  private static CodeTransform edit(Plan plan) {
    return CodeTransform.ofStateful(
        () -> {
          AtomicInteger index = new AtomicInteger();
          return (builder, element) ->
              plan.edits()
                  .getOrDefault(index.getAndIncrement(), unchanged -> unchanged.with(element))
                  .accept(builder);
        });
  }
}
