-- People who buy.
CREATE TABLE IF NOT EXISTS shop.customers (
    id         BIGSERIAL PRIMARY KEY,
    name       VARCHAR(100) NOT NULL DEFAULT 'none; (',
    balance    NUMERIC(10, 2),
    "group"    INTEGER REFERENCES groups (id),
    CONSTRAINT positive CHECK (balance >= 0),
    UNIQUE (name, "group")
);

create table `orders` (
  `id` int not null,
  `total` decimal(8,2) default '0.00', -- what is owed
  primary key (`id`)
) engine=InnoDB;

CREATE UNIQUE INDEX CONCURRENTLY idx_orders_total ON orders (total);

/* Who owes. */
CREATE OR REPLACE VIEW debtors AS
SELECT name FROM shop.customers WHERE balance < 0;

CREATE MATERIALIZED VIEW totals AS SELECT sum(total) FROM orders;

CREATE OR REPLACE FUNCTION shop.pay(customer BIGINT, amount NUMERIC)
RETURNS VOID AS $body$
BEGIN
  UPDATE shop.customers SET balance = balance + amount WHERE id = customer;
END;
$body$ LANGUAGE plpgsql;

CREATE PROCEDURE cleanup()
LANGUAGE SQL
AS $$ DELETE FROM orders; $$;

CREATE TRIGGER touched BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch();

CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE SCHEMA audit;
CREATE SEQUENCE numbers START 1;

INSERT INTO orders VALUES (1, 'create table fake (id int);');
ALTER TABLE orders ADD COLUMN note TEXT;
