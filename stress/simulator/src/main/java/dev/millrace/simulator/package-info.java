/**
 * An ordering simulator: runs compiled code on a simulated memory that is as weak as Java's access
 * modes allow, under schedules that it chooses.
 *
 * <pre>{@code
 * // A scenario: a few threads and what must hold. It runs once for each execution.
 * public static void releasePublishes(Simulation run) {
 *   Box box = new Box();
 *   run.thread("writer", () -> { box.data = 1; box.setReady(); });
 *   run.thread("reader", () -> run.check(!box.isReady() || box.data == 1, "not published"));
 * }
 *
 * // It is loaded woven, together with the code under test, and explored.
 * WovenLoader loader = new WovenLoader(parent, Weaving.of("org.example."));
 * Method method = loader.loadClass("org.example.Scenarios")
 *     .getMethod("releasePublishes", Simulation.class);
 * Explorer explorer = new Explorer(Scenario.of(method));
 * Exploration found = explorer.random(100_000, Duration.ofSeconds(10), 1);
 * if (found.failure() != null) {
 *   System.out.println(found.failure()); // what is wrong, each thread's steps, and the seed
 *   explorer.replay(found.failure().seed().getAsLong()); // the same execution again
 * }
 * }</pre>
 *
 * <p>{@link dev.millrace.simulator.WovenLoader} loads classes <i>woven</i>: each access through a
 * {@code VarHandle}, to a mutable field, to an element of an array of references or to a memory
 * segment, each fence, each monitor, and each call of {@code ReentrantLock}, {@code Thread}, {@code
 * LockSupport} or {@code ForkJoinPool.managedBlock} becomes a call of the simulator. {@link
 * dev.millrace.simulator.Weaving} says which classes those are, which methods read speculatively,
 * and which methods are replaced because they do what no simulation sees. A {@link
 * dev.millrace.simulator.Scenario} is a small program of a few threads with checks; an {@link
 * dev.millrace.simulator.Explorer} runs it many times, by chance or depth first within bounds, and
 * reports the first execution that fails, with a trace that names source lines.
 *
 * <h2>What it finds</h2>
 *
 * <ul>
 *   <li>Values that are too old, or torn: a read may see any write that its thread's knowledge
 *       permits, so a missing release, acquire or fence shows as a wrong result.
 *   <li>Data races: plain accesses that no happens-before edge orders. Speculative methods may race
 *       in their reads through handles and of segments, which then return any mixture.
 *   <li>Deadlocks, lost wake-ups among them, and livelocks: what does not end though each thread
 *       gets its turns and sees what was written.
 *   <li>What is left behind by a thread that is killed: a mortal thread may stop for good at any
 *       point where it may lose its turn.
 * </ul>
 *
 * <h2>What it refuses</h2>
 *
 * <p>An execution fails when it comes to one of these, even if the code under test catches the
 * exception: {@code Object.wait} and {@code notify}, locks and atomic classes of {@code
 * java.util.concurrent} other than {@code ReentrantLock} and its conditions, static fields that are
 * not final, native methods, handles of static fields, of floating-point fields or of arrays of
 * primitives, {@code ThreadLocal}, {@code java.time.Clock} and what has one, parallel streams, or
 * methods of the JDK that use memory segments, handles or arrays of references in a way that is not
 * modelled. The same holds for accesses of memory that overlap, unless they are of one place or all
 * plain; for handles whose variable has another type than the values; and for elements of arrays
 * that code which is not woven has written. Each message names what is refused. A class fails to
 * load only if its initializer uses what is refused.
 *
 * <h2>What it does not find</h2>
 *
 * <ul>
 *   <li>Load buffering: no read sees a write that comes later in the execution.
 *   <li>Shared use of arrays of primitives and of objects of the JDK, such as collections, and
 *       whatever classes that are not woven do: there every thread sees the last write at once, and
 *       no race is reported. An array of references that is handed to such code counts as read if
 *       it is the method's last argument.
 *   <li>Final fields are not woven: each thread sees their values, even if a race published the
 *       object.
 *   <li>State that outlives an execution. Each must create its own objects; one with a woven field
 *       that is kept is refused, but an array in a static field is not.
 *   <li>Races of {@code fill}, {@code mismatch} or a copy between segments on bytes that no other
 *       access has touched before: there they read zeros, and are not recorded.
 *   <li>More than five threads, or 64 KiB of native memory.
 *   <li>Depth first: wake-ups and failures of a weak compare-and-set without a reason.
 *   <li>Random exploration shows what it happens to draw. An execution of more than 2,000 steps
 *       goes on fairly and with fresh reads, so that a long one can be distinguished from one that
 *       never ends.
 * </ul>
 *
 * <p>{@code park} and {@code unpark} order nothing, as their documentation promises nothing. What a
 * thread does before it releases a monitor or lock happens before what the next holder does; a lock
 * orders nothing else. Any waiting thread may be the next holder, and a signal may wake any.
 *
 * <h2>How to run it</h2>
 *
 * <p>All threads of an execution are continuations on one thread of the JVM, which must be started
 * with {@code --add-exports java.base/jdk.internal.vm=ALL-UNNAMED}, or {@code
 * =dev.millrace.simulator} if the simulator is on the module path. Explorations may run side by
 * side, each in a thread of the JVM and of a scenario that a loader of its own has loaded.
 */
package dev.millrace.simulator;
