-- A web shop: a text key, composite keys and foreign keys, CHECKed domains, an untyped column.
CREATE TABLE customer (
  customer_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT UNIQUE,
  city TEXT NOT NULL,
  country TEXT,
  referred_by INTEGER REFERENCES customer (customer_id)
);
CREATE TABLE product (
  sku TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  category TEXT NOT NULL,
  price REAL NOT NULL CHECK (price > 0),
  stock INTEGER NOT NULL DEFAULT 0 CHECK (stock >= 0),
  discontinued INTEGER NOT NULL DEFAULT 0 CHECK (discontinued IN (0, 1))
);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customer (customer_id),
  placed_at TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'shipped', 'cancelled')),
  coupon
);
CREATE TABLE order_item (
  order_id INTEGER NOT NULL REFERENCES orders (order_id),
  line_no INTEGER NOT NULL,
  sku TEXT NOT NULL REFERENCES product (sku),
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  unit_price REAL NOT NULL,
  discount REAL,
  PRIMARY KEY (order_id, line_no)
);
CREATE TABLE shipment (
  order_id INTEGER NOT NULL,
  line_no INTEGER NOT NULL,
  box INTEGER NOT NULL,
  shipped_on TEXT,
  PRIMARY KEY (order_id, line_no, box),
  FOREIGN KEY (order_id, line_no) REFERENCES order_item (order_id, line_no)
);
