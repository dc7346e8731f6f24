/** The shards of a cache. This package is internal to the library and may change at any time. */
package dev.millrace.cache.internal;
