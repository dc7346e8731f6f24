/** The cache and its peers: see {@code bench/compare cache --help}. */
package dev.millrace.bench.cache;
