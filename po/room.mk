# Pages in other languages.  po/LANG.po and the English templates make
# data/templates/LANG: data/ in the build folder is what share/prompt-arena
# will be, and an uninstalled program runs on it (PROMPT_ARENA_DATADIR).
# What a .po file does not say stays in English.  A new language is one more
# name here.  INSTALL.md, "Another language", tells the whole way.
all_translations = po/fa.po po/zh_Hant_TW.po
EXTRA_DIST += $(all_translations) po/templates.its build-aux/translate
if TRANSLATIONS
translations = $(all_translations)
else
translations =
endif

# Compares a translated template with its source.
noinst_PROGRAMS = po/same
po_same_SOURCES = po/same.c
po_same_LDADD = $(libarena_libs)

noinst_DATA = data/made
data/made: $(page_templates) $(translations) po/templates.its \
    build-aux/translate | po/same$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) data && \
	$(SHELL) $(srcdir)/build-aux/translate merge '$(srcdir)' \
		'$(translations)' po/same$(EXEEXT) data/templates $(page_templates) && \
	for d in schema htdocs; do \
		rm -f data/$$d && \
		$(LN_S) "`cd $(srcdir) && pwd`/$$d" data/$$d || exit 1; \
	done && touch $@

# The English templates have changed: bring the .po files up to date.
update-po:
	$(AM_V_at)$(SHELL) $(srcdir)/build-aux/translate update '$(srcdir)' \
		'$(all_translations)' po/work $(page_templates)

install-translations: data/made
	for d in data/templates/*/; do \
		test -d "$$d" || continue; \
		to="$(DESTDIR)$(templatesdir)/`basename "$$d"`" && \
		$(MKDIR_P) "$$to" && \
		$(INSTALL_DATA) "$$d"* "$$to" || exit 1; \
	done
uninstall-translations:
	for d in data/templates/*/; do \
		test -d "$$d" || continue; \
		rm -rf "$(DESTDIR)$(templatesdir)/`basename "$$d"`"; \
	done
clean-local:
	rm -rf data po/work

.PHONY: update-po install-translations uninstall-translations

TESTS += tests/po/translate.sh
dist_check_SCRIPTS += tests/po/translate.sh
