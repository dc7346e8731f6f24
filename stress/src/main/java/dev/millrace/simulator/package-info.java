/**
 * An ordering simulator: runs compiled production code on a simulated memory that is as weak as
 * Java's access modes allow, under schedules of its choosing. (Text follows.)
 */
package dev.millrace.simulator;
