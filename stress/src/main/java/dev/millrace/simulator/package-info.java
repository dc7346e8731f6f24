/**
 * An ordering simulator: runs compiled production code on a simulated memory that is as weak as
 * Java's access modes allow, under schedules that it chooses.
 *
 * <pre>{@code
 * WovenLoader loader = new WovenLoader(parent, List.of("org.example."));
 * Scenario scenario = ...;                                  // of a class that the loader has loaded
 * Exploration found = new Explorer(scenario).random(100_000, Duration.ofSeconds(10), 1);
 * if (found.failure() != null) {
 *   System.out.println(found.failure());                    // what is wrong, and each thread's steps
 * }
 * }</pre>
 *
 * <p>{@link dev.millrace.simulator.WovenLoader} loads classes <i>woven</i>: each access through a
 * {@code VarHandle}, to a mutable field or to a memory segment, each fence, and each call of {@code
 * Thread}, {@code LockSupport} or {@code ForkJoinPool.managedBlock} becomes a call of the
 * simulator. What it cannot weave it refuses when the class is loaded. A {@link
 * dev.millrace.simulator.Scenario} is a small program of a few threads with checks; an {@link
 * dev.millrace.simulator.Explorer} runs it many times, by chance or depth first within bounds, and
 * reports the first execution that fails with a trace that names source lines, and the seed that
 * replays it.
 *
 * <h2>What it finds</h2>
 *
 * <ul>
 *   <li>Values that are too old, or torn: reads may see any message that their thread's view
 *       permits, so that a missing release, acquire or fence shows as a wrong result.
 *   <li>Data races: plain accesses that no happens-before edge orders. Methods annotated {@code
 *       Speculative}, of whatever package, may race in their reads, which then return any mixture.
 *   <li>Deadlocks, lost wake-ups among them, and livelocks: what does not end though each thread
 *       gets its turns and sees what was written.
 * </ul>
 *
 * <h2>What it does not find</h2>
 *
 * <p>No read sees a write that comes later in the execution (load buffering). Elements of Java
 * arrays, and objects of the JDK, are not woven. Places in memory that overlap without being the
 * same are refused. The threads of an execution are at most five. Within that, random schedules
 * show what they happen to draw, and the exhaustive mode all within its bounds.
 *
 * <p>All threads of an execution run on one: the JVM must be started with {@code --add-exports
 * java.base/jdk.internal.vm=ALL-UNNAMED}. Explorations may run side by side, each in a thread of
 * the JVM and of a scenario that a loader of its own has loaded.
 */
package dev.millrace.simulator;
