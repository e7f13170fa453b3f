# The sample an institution copies and the schemas its files are checked by.
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = schema/arena.xsd schema/catalog.xsd $(schema_sql) \
	schema/compare.schema.json schema/leaderboard.schema.json \
	schema/plot.schema.json

dist_man_MANS += man/prompt-arena-conf.5

# Installed as a sample to copy; never written to the configuration folder.
sampledir = $(pkgdatadir)/conf
dist_sample_DATA = conf/arena.xml conf/demo.xml conf/prompts.xml \
	conf/questions.xml conf/answers.xml conf/activities.xml \
	conf/tutor.txt
EXTRA_DIST += conf/prompts conf/questions conf/answers
install-sample:
	for d in prompts questions answers; do \
		(cd '$(srcdir)/conf' && find $$d -type f) | \
		while read -r f; do \
			$(MKDIR_P) "$(DESTDIR)$(sampledir)/$${f%/*}" && \
			$(INSTALL_DATA) "$(srcdir)/conf/$$f" \
			    "$(DESTDIR)$(sampledir)/$$f" || exit 1; \
		done || exit 1; \
	done
uninstall-sample:
	rm -rf '$(DESTDIR)$(sampledir)'
.PHONY: install-sample uninstall-sample
