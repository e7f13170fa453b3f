# How fast votes become durable.
bench_programs += bench/store_vote
bench_store_vote_SOURCES = bench/store_vote.c tests/model/arena.h
bench_store_vote_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
bench_store_vote_LDADD = $(libarena_libs)
