# Manual pages.
dist_man_MANS += man/prompt-arena.1
