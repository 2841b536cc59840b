-- Five categories are left: what was imported under the other two is a convention. Lessons of earlier versions held the beginning of a
-- diff, which teaches nothing.
UPDATE OR IGNORE patterns SET category = 'convention' WHERE category IN ('architecture', 'tool_usage');
DELETE FROM pattern_words WHERE rowid IN (SELECT id FROM patterns WHERE category IN ('architecture', 'tool_usage') OR fix LIKE 'what turned it green:%');
DELETE FROM evidence WHERE pattern IN (SELECT id FROM patterns WHERE category IN ('architecture', 'tool_usage') OR fix LIKE 'what turned it green:%');
DELETE FROM patterns WHERE category IN ('architecture', 'tool_usage') OR fix LIKE 'what turned it green:%';
UPDATE patterns SET fix = '', context = '' WHERE fix LIKE 'what passed:%';
