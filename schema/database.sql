-- The database of prompt-arena, schema version 1.
-- Times are Unix seconds, UTC.  Ids are internal; slugs, digests and tokens
-- are what pages, files and the ledger speak of.

CREATE TABLE meta (              -- facts about this arena
  key   TEXT PRIMARY KEY,        -- arena_uuid, created_at, simulated, csrf_key, …
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
  id          INTEGER PRIMARY KEY,
  login       TEXT UNIQUE,       -- as the web server names it; NULL for guests and the erased
  kind        TEXT NOT NULL CHECK (kind IN ('member','guest','simulated','erased')),
  name        TEXT NOT NULL DEFAULT '',   -- display name
  pseud_key   BLOB,              -- 32 bytes; NULL once erased
  created_at  INTEGER NOT NULL,
  lang        TEXT,              -- NULL: as the browser says
  ta_desktop  INTEGER NOT NULL DEFAULT 1 CHECK (ta_desktop IN (0,1)),
  forum       INTEGER NOT NULL DEFAULT 0 CHECK (forum IN (0,1)),
  sound       INTEGER NOT NULL DEFAULT 0 CHECK (sound IN (0,1)),
  quiet_from  INTEGER CHECK (quiet_from BETWEEN 0 AND 1439),  -- minutes, campus time
  quiet_to    INTEGER CHECK (quiet_to BETWEEN 0 AND 1439),
  consent     TEXT CHECK (consent IN ('yes','no')),           -- NULL: not asked
  consent_version TEXT,
  consent_at  INTEGER,
  chime       TEXT NOT NULL DEFAULT 'bell' CHECK (chime IN ('bell','drop')),
  groups      TEXT NOT NULL DEFAULT '',  -- as last seen, each with a blank at both ends
  unread      INTEGER NOT NULL DEFAULT 0 CHECK (unread >= 0),
  notice_rev  INTEGER NOT NULL DEFAULT 0  -- rises with every change of its notices
) STRICT;
CREATE INDEX account_forum ON account(id) WHERE forum = 1;

CREATE TABLE setup (             -- model and settings that answer
  id       INTEGER PRIMARY KEY,
  digest   TEXT NOT NULL UNIQUE, -- formats.md, setup digest
  slug     TEXT NOT NULL,        -- id in arena.xml; a changed model is a new row
  model    TEXT NOT NULL,
  parameters TEXT NOT NULL,      -- "name=value\n" sorted, as digested
  active   INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0,1)),
  first_at INTEGER NOT NULL
) STRICT;

CREATE TABLE prompt (
  id          INTEGER PRIMARY KEY,
  slug        TEXT NOT NULL UNIQUE,
  title       TEXT NOT NULL,
  description TEXT NOT NULL,
  author      TEXT NOT NULL,     -- login
  retired     INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0,1))
) STRICT;

CREATE TABLE prompt_tag (
  prompt INTEGER NOT NULL REFERENCES prompt(id),
  tag    TEXT NOT NULL,
  PRIMARY KEY (prompt, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE version (           -- one exact text; never changes
  id       INTEGER PRIMARY KEY,
  prompt   INTEGER NOT NULL REFERENCES prompt(id),
  number   INTEGER NOT NULL CHECK (number >= 1),
  digest   TEXT NOT NULL UNIQUE, -- formats.md, prompt version digest
  text     TEXT NOT NULL,
  retired  INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0,1)),
  listed   INTEGER NOT NULL DEFAULT 1 CHECK (listed IN (0,1)), -- stands in the files
  first_at INTEGER NOT NULL,
  UNIQUE (prompt, number)
) STRICT;

CREATE TABLE question (
  id        INTEGER PRIMARY KEY,
  slug      TEXT NOT NULL UNIQUE,
  type      TEXT NOT NULL CHECK (type IN ('knowledge','coding','writing','reasoning','creative')),
  lang      TEXT NOT NULL,
  text      TEXT NOT NULL,
  html      TEXT NOT NULL,       -- rendered once (port/markdown)
  renderer  INTEGER NOT NULL,    -- renderer version of html
  reference TEXT,
  owner     INTEGER REFERENCES account(id),  -- a student's own question
  shared    INTEGER NOT NULL DEFAULT 0 CHECK (shared IN (0,1)), -- others may be shown it
  made_at   INTEGER,             -- of an own question
  asks      INTEGER NOT NULL DEFAULT 0 CHECK (asks IN (0,1)),   -- it asks who answers: practice
  retired   INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0,1))
) STRICT;

CREATE INDEX question_owner ON question(owner, made_at) WHERE owner IS NOT NULL;

CREATE TABLE answer (
  id       INTEGER PRIMARY KEY,
  version  INTEGER NOT NULL REFERENCES version(id),
  setup    INTEGER NOT NULL REFERENCES setup(id),
  question INTEGER NOT NULL REFERENCES question(id),
  sample   INTEGER NOT NULL CHECK (sample >= 1),
  state    TEXT NOT NULL CHECK (state IN ('waiting','ok','failed','void')),
  text     TEXT,                 -- source, cleaned; NULL until ok
  html     TEXT,                 -- rendered once
  renderer INTEGER,
  words    INTEGER, chars INTEGER, headers INTEGER, lists INTEGER, bold INTEGER,
  flags    TEXT NOT NULL DEFAULT '',   -- identity-leak flags, space separated
  flags_list TEXT NOT NULL DEFAULT '',  -- version of the lists that made flags
  truncated INTEGER NOT NULL DEFAULT 0 CHECK (truncated IN (0,1)),
  source   TEXT NOT NULL CHECK (source IN ('catalog','model')),
  model    TEXT,                 -- who says to have answered
  tokens_in INTEGER, tokens_out INTEGER,
  made_at  INTEGER NOT NULL,
  retired  INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0,1)),
  UNIQUE (version, setup, question, sample),
  CHECK (state <> 'ok' OR (text IS NOT NULL AND html IS NOT NULL))
) STRICT;
CREATE INDEX answer_question ON answer(question, setup, version);
CREATE INDEX answer_waiting ON answer(question) WHERE state = 'waiting';

CREATE TABLE activity (
  id       INTEGER PRIMARY KEY,
  slug     TEXT NOT NULL UNIQUE,
  title    TEXT NOT NULL,
  opens    INTEGER, closes INTEGER,
  grp      TEXT,                 -- only members of this group
  results  TEXT NOT NULL DEFAULT 'always' CHECK (results IN ('always','closed')),
  retired  INTEGER NOT NULL DEFAULT 0 CHECK (retired IN (0,1))
) STRICT;

CREATE TABLE activity_prompt (
  activity INTEGER NOT NULL REFERENCES activity(id),
  prompt   INTEGER NOT NULL REFERENCES prompt(id),
  PRIMARY KEY (activity, prompt)
) STRICT, WITHOUT ROWID;

CREATE TABLE activity_question (
  activity INTEGER NOT NULL REFERENCES activity(id),
  question INTEGER NOT NULL REFERENCES question(id),
  PRIMARY KEY (activity, question)
) STRICT, WITHOUT ROWID;

CREATE TABLE match (
  id          INTEGER PRIMARY KEY,
  token       TEXT NOT NULL UNIQUE,
  voter       INTEGER NOT NULL REFERENCES account(id),
  activity    INTEGER NOT NULL REFERENCES activity(id),
  question    INTEGER NOT NULL REFERENCES question(id),
  setup       INTEGER NOT NULL REFERENCES setup(id),
  answer_a    INTEGER NOT NULL REFERENCES answer(id),   -- shown as A
  answer_b    INTEGER NOT NULL REFERENCES answer(id),
  -- parked: still written, the voter plays another meanwhile; else as open
  state       TEXT NOT NULL CHECK (state IN ('open','parked','voted','skipped','expired','void')),
  policy      TEXT NOT NULL,     -- random, informative
  probability REAL NOT NULL,     -- with which this pair was drawn
  calibration INTEGER NOT NULL DEFAULT 0 CHECK (calibration IN (0,1)),
  made_at     INTEGER NOT NULL,
  shown_at    INTEGER,           -- both answers complete and first sent
  ends_at     INTEGER NOT NULL,  -- expires then
  skip_reason TEXT,
  CHECK (answer_a <> answer_b)
) STRICT;
CREATE UNIQUE INDEX match_one_open ON match(voter) WHERE state = 'open';
CREATE INDEX match_parked ON match(voter) WHERE state = 'parked';
CREATE INDEX match_voter ON match(voter, question);
CREATE INDEX match_pair ON match(answer_a, answer_b);
CREATE INDEX match_other ON match(answer_b);

CREATE TABLE vote (
  match      INTEGER PRIMARY KEY REFERENCES match(id),  -- the row that decides races
  n          INTEGER NOT NULL UNIQUE REFERENCES ledger(n),
  voter      INTEGER NOT NULL REFERENCES account(id),
  choice     TEXT NOT NULL CHECK (choice IN ('a','b','tie','both_poor')),
  recognised INTEGER NOT NULL DEFAULT 0 CHECK (recognised IN (0,1)),
  reasons    TEXT NOT NULL DEFAULT '',      -- codes, space separated
  cast_at    INTEGER NOT NULL,
  dwell_ms   INTEGER,
  counted    INTEGER NOT NULL CHECK (counted IN (0,1)),
  why        TEXT NOT NULL DEFAULT '',      -- reason code when not counted
  before_a   REAL, after_a REAL, before_b REAL, after_b REAL,  -- overall Elo on the receipt
  consent    TEXT
) STRICT;
CREATE INDEX vote_voter ON vote(voter, cast_at);

CREATE TABLE ledger (            -- every line of votes.log, parsed
  n        INTEGER PRIMARY KEY CHECK (n >= 1),
  t        INTEGER NOT NULL,
  k        TEXT NOT NULL CHECK (k IN ('open','vote','exclude','restore')),
  m        TEXT, of INTEGER, q TEXT, type TEXT, va TEXT, vb TEXT, sa INTEGER, sb INTEGER,
  setup    TEXT, activity TEXT, w TEXT, c INTEGER, why TEXT, u TEXT, consent TEXT,
  prev     TEXT NOT NULL, h TEXT NOT NULL
) STRICT;
CREATE INDEX ledger_match ON ledger(m) WHERE k <> 'open';

CREATE TABLE rating (            -- Elo in ledger order; recompute makes the same bytes
  version  TEXT NOT NULL,        -- digest
  setup    TEXT NOT NULL,        -- digest
  scope    TEXT NOT NULL,        -- 'all', 'type:T', 'activity:A', 'activity:A type:T'
  elo      REAL NOT NULL,
  matches  INTEGER NOT NULL, wins INTEGER NOT NULL, losses INTEGER NOT NULL,
  ties     INTEGER NOT NULL,     -- without both_poor
  both_poor INTEGER NOT NULL,
  not_counted INTEGER NOT NULL,
  PRIMARY KEY (scope, setup, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (               -- work for the model server
  id       INTEGER PRIMARY KEY,
  kind     TEXT NOT NULL CHECK (kind IN ('answer','tutor')),
  ref      INTEGER NOT NULL,     -- answer id, or tutor message id
  state    TEXT NOT NULL CHECK (state IN ('queued','running','done','failed')),
  priority INTEGER NOT NULL DEFAULT 0,
  account  INTEGER REFERENCES account(id),  -- on whose allowance; NULL: the site's
  attempts INTEGER NOT NULL DEFAULT 0,   -- requests that left, or may have
  charges  INTEGER NOT NULL DEFAULT 0,   -- of these, what may have cost something
  not_before INTEGER NOT NULL DEFAULT 0,
  delays   INTEGER NOT NULL DEFAULT 0,   -- times its failing put it off
  holder   TEXT,                 -- the program that runs it
  lease_until INTEGER,           -- when its answer is due at the latest
  endpoint TEXT,                 -- that is asked
  reserved REAL NOT NULL DEFAULT 0,      -- of that endpoint's money on day
  day      INTEGER,              -- when that campus day began
  error    TEXT,                 -- class and reason; masked words for the administrator
  made_at  INTEGER NOT NULL,
  done_at  INTEGER,
  UNIQUE (kind, ref)
) STRICT;
CREATE INDEX job_next ON job(state, priority DESC, id);
CREATE INDEX job_account ON job(account, made_at) WHERE account IS NOT NULL;

CREATE TABLE spend (             -- what model servers cost on a campus day
  scope    TEXT NOT NULL,        -- 'endpoint ID', or 'account N'
  day      INTEGER NOT NULL,     -- its first second
  reserved REAL NOT NULL DEFAULT 0,      -- for requests under way
  spent    REAL NOT NULL DEFAULT 0,
  calls    INTEGER NOT NULL DEFAULT 0,   -- requests that left, or may have
  PRIMARY KEY (scope, day)
) STRICT, WITHOUT ROWID;

-- ---- notices ---------------------------------------------------------------

CREATE TABLE notice (            -- one event told to one person
  id      INTEGER PRIMARY KEY AUTOINCREMENT,  -- what a browser has seen stays below
  account INTEGER NOT NULL REFERENCES account(id),
  kind    TEXT NOT NULL CHECK (kind IN ('ta','sorry','post','answer','other','test')),
  event   TEXT NOT NULL,         -- the same event is told once
  thread  TEXT NOT NULL,         -- what belongs together: one topic, one conversation
  url     TEXT NOT NULL,         -- a path of ours, or https://
  title   TEXT NOT NULL DEFAULT '',
  who     TEXT NOT NULL DEFAULT '',   -- display name of whoever caused it
  made_at INTEGER NOT NULL,
  read_at INTEGER,
  UNIQUE (account, event)
) STRICT;
CREATE INDEX notice_account ON notice(account, id);
CREATE INDEX notice_unread ON notice(account, thread) WHERE read_at IS NULL;

CREATE TABLE hook_event (        -- what other systems have told us
  event    TEXT PRIMARY KEY,
  digest   TEXT NOT NULL,        -- of the whole message
  at       INTEGER NOT NULL,
  stored   INTEGER NOT NULL      -- notices made of it
) STRICT;
CREATE INDEX hook_event_at ON hook_event(at);

-- ---- forum -----------------------------------------------------------------

CREATE TABLE topic (
  id        INTEGER PRIMARY KEY,
  token     TEXT NOT NULL UNIQUE,
  activity  INTEGER NOT NULL REFERENCES activity(id),
  author    INTEGER NOT NULL REFERENCES account(id),
  title     TEXT NOT NULL,       -- empty once its first message is deleted
  match     INTEGER UNIQUE REFERENCES match(id),  -- its two answers are discussed
  made_at   INTEGER NOT NULL,
  posts     INTEGER NOT NULL DEFAULT 0,  -- the highest number in it
  last_post INTEGER NOT NULL DEFAULT 0,  -- id of the newest post; orders the list
  last_at   INTEGER NOT NULL,
  pinned    INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0,1)),
  locked    INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0,1)),
  hidden    INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0,1))
) STRICT;
CREATE INDEX topic_list ON topic(activity, pinned, last_post);

CREATE TABLE post (
  id        INTEGER PRIMARY KEY,
  topic     INTEGER NOT NULL REFERENCES topic(id),
  number    INTEGER NOT NULL CHECK (number >= 1),  -- from 1, without gaps, never reused
  author    INTEGER NOT NULL REFERENCES account(id),
  made_at   INTEGER NOT NULL,
  edited_at INTEGER,
  state     TEXT NOT NULL DEFAULT 'shown' CHECK (state IN ('shown','hidden','deleted')),
  source    TEXT NOT NULL,       -- Markdown; empty once deleted
  html      TEXT NOT NULL,       -- rendered once
  renderer  INTEGER NOT NULL,
  form      TEXT NOT NULL,       -- the form it came by: sent twice it is one post
  UNIQUE (topic, number),
  UNIQUE (author, form)
) STRICT;
CREATE INDEX post_author ON post(author, made_at);
CREATE INDEX post_deleted ON post(topic) WHERE state = 'deleted';  -- counts leave them out

CREATE TABLE post_edit (         -- what stood there before an edit
  post   INTEGER NOT NULL REFERENCES post(id),
  n      INTEGER NOT NULL CHECK (n >= 1),
  until  INTEGER NOT NULL,       -- when it was replaced
  source TEXT NOT NULL,
  html   TEXT NOT NULL,
  PRIMARY KEY (post, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE topic_follow (
  account INTEGER NOT NULL REFERENCES account(id),
  topic   INTEGER NOT NULL REFERENCES topic(id),
  how     TEXT NOT NULL CHECK (how IN ('follow','mute')),
  PRIMARY KEY (account, topic)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_follower ON topic_follow(topic, account) WHERE how = 'follow';

CREATE TABLE post_telling (      -- posts whose notices are still being made
  post  INTEGER PRIMARY KEY REFERENCES post(id),
  after INTEGER NOT NULL DEFAULT 0   -- accounts up to this one have been told
) STRICT;

CREATE TABLE report (            -- something that a person asks the teachers to look at
  id       INTEGER PRIMARY KEY,
  kind     TEXT NOT NULL CHECK (kind IN ('post','match','reply')),
  ref      INTEGER NOT NULL,     -- post, match or TA message
  reporter INTEGER NOT NULL REFERENCES account(id),
  reason   TEXT NOT NULL CHECK (reason IN ('wrong','offensive','personal','spam','other')),
  words    TEXT NOT NULL DEFAULT '',
  made_at  INTEGER NOT NULL,
  done_at  INTEGER,
  done_by  INTEGER REFERENCES account(id),
  UNIQUE (kind, ref, reporter)
) STRICT;
CREATE INDEX report_open ON report(id) WHERE done_at IS NULL;

CREATE TABLE seen_answer (       -- shown outside a match of one's own: never drawn again
  account INTEGER NOT NULL REFERENCES account(id),
  answer  INTEGER NOT NULL REFERENCES answer(id),
  PRIMARY KEY (account, answer)
) STRICT, WITHOUT ROWID;

-- Words of posts, one row a post (rowid = post.id); CJK characters parted by blanks.
CREATE VIRTUAL TABLE post_search USING fts5(words, tokenize = "unicode61 remove_diacritics 2");

-- ---- AI teaching assistant -------------------------------------------------

CREATE TABLE activity_tutor (    -- from activities.xml
  activity INTEGER PRIMARY KEY REFERENCES activity(id),
  setup    TEXT NOT NULL,        -- slug
  prompt   TEXT,                 -- slug of a catalog prompt, or NULL
  best     TEXT,                 -- the best official prompt of this type ('any': over all), or NULL
  text     TEXT,                 -- an instruction of its own, or NULL
  per_day  INTEGER NOT NULL,     -- questions a person and campus day; 0: any number
  context_chars INTEGER NOT NULL -- how much of a conversation is sent along
) STRICT;

CREATE TABLE tutor_thread (
  id       INTEGER PRIMARY KEY,
  token    TEXT NOT NULL UNIQUE,
  account  INTEGER NOT NULL REFERENCES account(id),
  activity INTEGER NOT NULL REFERENCES activity(id),
  title    TEXT NOT NULL,        -- the beginning of its first question
  made_at  INTEGER NOT NULL,
  last_message INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX tutor_thread_account ON tutor_thread(account, last_message);

CREATE TABLE tutor_message (     -- a question and what came of it
  id       INTEGER PRIMARY KEY,
  thread   INTEGER NOT NULL REFERENCES tutor_thread(id),
  account  INTEGER NOT NULL REFERENCES account(id),
  number   INTEGER NOT NULL CHECK (number >= 1),
  asked_at INTEGER NOT NULL,
  question TEXT NOT NULL,
  question_html TEXT NOT NULL,
  form     TEXT NOT NULL,
  state    TEXT NOT NULL CHECK (state IN ('waiting','ok','failed')),
  reply    TEXT, html TEXT, renderer INTEGER NOT NULL,
  replied_at INTEGER,
  delayed  INTEGER NOT NULL DEFAULT 0 CHECK (delayed IN (0,1)),  -- the model was not to be had
  why      TEXT NOT NULL DEFAULT '',   -- of a failure: code
  truncated INTEGER NOT NULL DEFAULT 0 CHECK (truncated IN (0,1)),
  dropped  INTEGER NOT NULL DEFAULT 0, -- earlier turns that did not fit
  instruction TEXT,              -- what the model was told to be
  version  INTEGER REFERENCES version(id),  -- when that was a catalog prompt
  elo REAL, lower REAL, upper REAL,    -- its standing then
  order_free REAL,               -- that lower and upper belong to; NULL: they also hold elo
  model    TEXT,
  rating   TEXT CHECK (rating IN ('up','down')),
  UNIQUE (thread, number),
  UNIQUE (account, form),
  CHECK (state <> 'ok' OR (reply IS NOT NULL AND html IS NOT NULL))
) STRICT;
CREATE INDEX tutor_waiting ON tutor_message(account) WHERE state = 'waiting';
CREATE INDEX tutor_asked ON tutor_message(account, asked_at);
