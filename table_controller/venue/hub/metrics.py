"""What a hub measures of itself, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


class HubMetrics:
    """The figures of one hub."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        kept = self.registry
        self.messages = Counter(
            "paiguan_messages", "Messages of the journal stream that were stored", registry=kept
        )
        self.entries = Counter("paiguan_entries", "Journal entries that were stored", registry=kept)
        self.again = Counter(
            "paiguan_entries_again", "Entries that came although they were stored", registry=kept
        )
        self.gaps = Counter("paiguan_gaps", "Gaps in a table's journal", registry=kept)
        self.forks = Counter("paiguan_forks", "Journals that forked", registry=kept)
        self.failures = Counter(
            "paiguan_store_failures", "Transactions that were given up", registry=kept
        )
        self.store_s = Histogram(
            "paiguan_store_seconds",
            "From the arrival of messages to the end of their transaction",
            buckets=(0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
            registry=kept,
        )
        self.delay_s = Histogram(
            "paiguan_delay_seconds",
            "From the sending by the table to the end of the transaction, clocks corrected",
            buckets=(0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 60, 600, 3600),
            registry=kept,
        )
        self.shares = Gauge("paiguan_shares", "Shares of the tables this hub owns", registry=kept)
        self.lag = Gauge(
            "paiguan_lag_messages", "Messages that wait to be stored", ["share"], registry=kept
        )
        self.tables = Gauge("paiguan_tables", "Tables that were heard lately", registry=kept)
        self.silent = Gauge("paiguan_tables_silent", "Tables that fell silent", registry=kept)
        self.offset = Gauge(
            "paiguan_clock_offset_seconds", "How far a table's clock is ahead", ["table"],
            registry=kept,
        )  # fmt: skip
        self.outbox = Gauge(
            "paiguan_outbox_entries", "Entries a table has not handed over", ["table"],
            registry=kept,
        )  # fmt: skip
        self.faults = Gauge("paiguan_table_faults", "Faults of a table", ["table"], registry=kept)
        self.orders = Counter("paiguan_orders_sent", "Orders sent to tables", registry=kept)
