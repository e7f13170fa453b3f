# How systemd runs the service.
EXTRA_DIST += systemd/prompt-arena.service.in systemd/prompt-arena.socket \
	systemd/prompt-arena.sysusers
CLEANFILES += systemd/prompt-arena.service

# Paths are filled in when make runs: only then are they final.
systemd/prompt-arena.service: systemd/prompt-arena.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) systemd && \
	$(SED) -e 's|@bindir[@]|$(bindir)|g' \
		'$(srcdir)/systemd/prompt-arena.service.in' >$@-t && mv $@-t $@

if WITH_SYSTEMD
nodist_systemdsystemunit_DATA = systemd/prompt-arena.service
systemdsystemunit_DATA = systemd/prompt-arena.socket
install-data-hook:
	$(MKDIR_P) '$(DESTDIR)$(prefix)/lib/sysusers.d'
	$(INSTALL_DATA) '$(srcdir)/systemd/prompt-arena.sysusers' \
		'$(DESTDIR)$(prefix)/lib/sysusers.d/prompt-arena.conf'
uninstall-hook:
	rm -f '$(DESTDIR)$(prefix)/lib/sysusers.d/prompt-arena.conf'
endif

TESTS += systemd/units.sh
EXTRA_DIST += systemd/units.sh
check_DATA = systemd/prompt-arena.service
