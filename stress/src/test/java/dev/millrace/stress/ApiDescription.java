package dev.millrace.stress;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Describes the API of modules as text, with a line for each member of an exported type: what a
 * caller's source or class file can refer to, nullness included. The order is alphabetical. Members
 * that a type inherits from one that is not exported are members of its API.
 */
final class ApiDescription {
  private static final int MODIFIERS =
      Modifier.PUBLIC | Modifier.PROTECTED | Modifier.ABSTRACT | Modifier.STATIC | Modifier.FINAL;
  private static final Pattern PACKAGE_LANG = Pattern.compile("\\bjava\\.lang\\.(?=@?[A-Z])");
  private static final Pattern NULLNESS =
      Pattern.compile("@org\\.jspecify\\.annotations\\.(\\w+)(\\(\\))?");

  private final ClassLoader loader;
  private final Set<String> hidden = new TreeSet<>(); // packages that are not exported

  /** Describes modules of {@code modules}, which may have types of each other. */
  ApiDescription(Collection<ModuleReference> modules, ClassLoader loader) {
    this.loader = loader;
    for (ModuleReference module : modules) {
      hidden.addAll(module.descriptor().packages());
      hidden.removeAll(exported(module.descriptor()).toList());
    }
  }

  private static Stream<String> exported(ModuleDescriptor module) {
    return module.exports().stream().filter(one -> !one.isQualified()).map(one -> one.source());
  }

  /** Returns the lines that describe a module. */
  List<String> linesOf(ModuleReference module) throws IOException {
    List<String> lines = new ArrayList<>();
    ModuleDescriptor descriptor = module.descriptor();
    lines.add("module " + descriptor.name());
    descriptor.requires().stream()
        .filter(one -> one.modifiers().contains(ModuleDescriptor.Requires.Modifier.TRANSITIVE))
        .map(one -> "  requires transitive " + one.name())
        .sorted()
        .forEach(lines::add);
    exported(descriptor).map("  exports "::concat).sorted().forEach(lines::add);
    for (Class<?> type : typesOf(module)) {
      lines.add("");
      lines.add(headOf(type));
      Map<String, String> members = new HashMap<>();
      addMembers(type, type, members);
      members.values().stream().map("  "::concat).sorted().forEach(lines::add);
    }
    return lines.stream().map(ApiDescription::shortened).toList();
  }

  private static String shortened(String line) {
    return NULLNESS.matcher(PACKAGE_LANG.matcher(line).replaceAll("")).replaceAll("@$1");
  }

  private List<Class<?>> typesOf(ModuleReference module) throws IOException {
    List<Class<?>> types = new ArrayList<>();
    try (ModuleReader reader = module.open()) {
      for (String file : reader.list().filter(its -> its.matches("[^-]+\\.class")).toList()) {
        String name = file.replace(".class", "").replace('/', '.');
        if (!hidden.contains(name.substring(0, name.lastIndexOf('.')))) {
          types.add(load(name));
        }
      }
    }
    types.removeIf(this::isHidden);
    types.sort((one, other) -> one.getName().compareTo(other.getName()));
    return types;
  }

  private Class<?> load(String name) {
    try {
      return Class.forName(name, false, loader);
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether callers cannot refer to a type. Types of other libraries are theirs to describe. */
  private boolean isHidden(Class<?> type) {
    boolean isVisible = (type.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    return hidden.contains(type.getPackageName())
        || type.isAnonymousClass()
        || !isVisible
        || (type.getEnclosingClass() != null && isHidden(type.getEnclosingClass()));
  }

  // ---- types ----

  private String headOf(Class<?> type) {
    String kind = "class";
    if (type.isInterface()) {
      kind = type.isAnnotation() ? "@interface" : "interface";
    } else if (type.isEnum() || type.isRecord()) {
      kind = type.isEnum() ? "enum" : "record";
    }
    int modifiers = type.getModifiers() & MODIFIERS & ~(type.isInterface() ? Modifier.ABSTRACT : 0);
    Set<String> parents = new TreeSet<>();
    addParents(type, parents);
    return Modifier.toString(modifiers)
        + (type.isSealed() ? " sealed " : " ")
        + kind
        + " "
        + type.getName()
        + typeParameters(type)
        + list(" extends ", parents)
        + list(" permits ", permitted(type));
  }

  private Set<String> permitted(Class<?> type) {
    return !type.isSealed()
        ? Set.of()
        : Arrays.stream(type.getPermittedSubclasses())
            .filter(one -> !isHidden(one))
            .map(Class::getName)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Adds the nearest supertypes that callers can refer to. */
  private void addParents(Class<?> type, Set<String> parents) {
    for (Class<?> hiddenParent : parentsOf(type).filter(this::isHidden).toList()) {
      addParents(hiddenParent, parents);
    }
    Stream.concat(
            Stream.ofNullable(type.getAnnotatedSuperclass()),
            Stream.of(type.getAnnotatedInterfaces()))
        .filter(one -> !isHidden(rawType(one.getType())))
        .map(AnnotatedType::toString)
        .filter(one -> !one.equals("java.lang.Object"))
        .forEach(parents::add);
  }

  private static Class<?> rawType(Type type) {
    return type instanceof Class<?> its ? its : (Class<?>) ((ParameterizedType) type).getRawType();
  }

  private static Stream<Class<?>> parentsOf(Class<?> type) {
    return Stream.concat(
        Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()));
  }

  // ---- members ----

  /** Adds what {@code owner} declares, or inherits from hidden types, to the members of a type. */
  private void addMembers(Class<?> type, Class<?> owner, Map<String, String> members) {
    boolean mayBeExtended = !Modifier.isFinal(type.getModifiers()) && !type.isSealed();
    for (Field field : owner.getDeclaredFields()) {
      if (isVisible(field, mayBeExtended)) {
        members.putIfAbsent(field.getName(), textOf(field));
      }
    }
    for (Constructor<?> constructor : owner.getDeclaredConstructors()) {
      if (owner == type && isVisible(constructor, mayBeExtended)) {
        members.put(keyOf("new", constructor), textOf(constructor, type.getSimpleName()));
      }
    }
    for (Method method : owner.getDeclaredMethods()) {
      boolean isInherited =
          owner == type || !owner.isInterface() || !Modifier.isStatic(method.getModifiers());
      if (isInherited && isVisible(method, mayBeExtended)) {
        String head = (method.isDefault() ? "default " : "") + method.getAnnotatedReturnType();
        members.putIfAbsent(
            keyOf(method.getName(), method), textOf(method, head + " " + method.getName()));
      }
    }
    parentsOf(owner).filter(this::isHidden).forEach(one -> addMembers(type, one, members));
  }

  private static boolean isVisible(Member member, boolean mayBeExtended) {
    int visible = Modifier.PUBLIC | (mayBeExtended ? Modifier.PROTECTED : 0);
    return (member.getModifiers() & visible) != 0 && !member.isSynthetic();
  }

  private static String keyOf(String name, Executable member) {
    return name + Arrays.toString(member.getParameterTypes());
  }

  private static String textOf(Executable member, String head) {
    List<String> parameters =
        Arrays.stream(member.getAnnotatedParameterTypes())
            .map(AnnotatedType::toString)
            .collect(Collectors.toCollection(ArrayList::new));
    if (member.isVarArgs()) {
      parameters.add(parameters.removeLast().replaceFirst("\\[]$", "..."));
    }
    List<String> exceptions =
        Arrays.stream(member.getAnnotatedExceptionTypes())
            .map(AnnotatedType::toString)
            .sorted()
            .toList();
    return (Modifier.toString(member.getModifiers() & MODIFIERS) + " ")
        + (typeParameters(member) + " ").stripLeading()
        + head
        + ("(" + String.join(", ", parameters) + ")")
        + list(" throws ", exceptions);
  }

  private static String typeParameters(GenericDeclaration owner) {
    List<String> parameters = new ArrayList<>();
    for (TypeVariable<?> parameter : owner.getTypeParameters()) {
      List<String> bounds =
          Arrays.stream(parameter.getAnnotatedBounds())
              .map(AnnotatedType::toString)
              .filter(one -> !one.equals("java.lang.Object"))
              .toList();
      String bound = bounds.isEmpty() ? "" : " extends " + String.join(" & ", bounds);
      parameters.add(parameter.getName() + bound);
    }
    return parameters.isEmpty() ? "" : "<" + String.join(", ", parameters) + ">";
  }

  private static String list(String head, Collection<String> names) {
    return names.isEmpty() ? "" : head + String.join(", ", names);
  }

  /** With the value of a constant, which the compiler copies into its callers. */
  private static String textOf(Field field) {
    String text =
        (Modifier.toString(field.getModifiers() & MODIFIERS) + " ")
            + (field.getAnnotatedType() + " " + field.getName());
    boolean isConstant =
        Modifier.isStatic(field.getModifiers())
            && Modifier.isFinal(field.getModifiers())
            && Modifier.isPublic(field.getModifiers())
            && (field.getType().isPrimitive() || field.getType() == String.class);
    try {
      return isConstant ? text + " = " + Objects.toString(field.get(null)) : text;
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
