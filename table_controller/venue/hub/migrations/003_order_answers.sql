-- What a table answers to an order has a name and facts, so that a page can say it in its own words.
ALTER TABLE hall_order ADD COLUMN code text NOT NULL DEFAULT '';
ALTER TABLE hall_order ADD COLUMN facts json;

-- So have the lines of the log.
ALTER TABLE incident ADD COLUMN code text NOT NULL DEFAULT '';
ALTER TABLE incident ADD COLUMN facts json;

-- The newest ruling or order of a journal, without reading through its happenings.
CREATE INDEX entry_ruled ON entry (chain, seq)
    WHERE kind IN ('alert', 'decision', 'correction', 'order');
