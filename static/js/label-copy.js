// The copy of a pair in this browser, which all of its tabs share: what this tab has not brought to
// the server, and beside it what other tabs have not (`parked`, one entry a tab).
labelPage.copy = (() => {
  const { form, fields } = labelPage;
  const pair = form.dataset.pair, tab = Math.random().toString(36).slice(2);
  let parked = [], isKept = true;

  const isOwn = (record) => Boolean(record.dirty || record.sent || record.queued);
  const saysSame = (a, b) => fields.differing(a, b).length === 0;
  const without = (entries, name) => entries.filter((one) => one.tab !== name);
  const theirs = () => {
    const record = kept.read(pair);
    return record && record.tab !== tab ? record : null;
  };
  const put = (record) => { isKept = kept.write(pair, record); };

  function add(entry) {
    const held = parked.find((one) => one.tab === entry.tab);
    if (entry.tab === tab || held && !(held.at < entry.at)) return;
    parked = [...without(parked, entry.tab), entry];
  }
  // What others have written meanwhile is carried along, unless this page says the same.
  function gather(mine) {
    const other = theirs();
    if (!other) return;
    for (const entry of other.parked ?? []) add(entry);
    if (isOwn(other)) add({ tab: other.tab, fields: other.fields, at: other.at });
    parked = parked.filter((one) => !saysSame(one.fields, mine));
  }

  return {
    tab,
    get isKept() { return isKept; },
    get parked() { return parked; },
    read: () => kept.read(pair),
    isOwn,

    // Over the copy of another tab nothing is written that has reached the server.
    keep(record) {
      const other = theirs();
      if (!isOwn(record) && kept.isUnsent(other)) return put({ ...other, parked: without(other.parked ?? [], tab) });
      gather(record.fields);
      put({ tab, ...record, parked });
    },
    // The copy of a page that is gone becomes this one's.
    adopt(found, { conflicting = false } = {}) {
      parked = found.parked ?? [];
      if (conflicting) add({ tab: found.tab ?? "before", fields: found.fields, at: found.at });
    },
    claim(record) { put({ tab, ...record, parked }); },

    // This page no longer writes the pair: what it holds lies beside what the other tab has in hand.
    park(mine, server, base) {
      const other = theirs();
      const entry = { tab, fields: mine, at: Date.now() };
      const rest = without(other?.parked ?? parked, tab);
      put({ fields: server, base, active_s: 0, ...other, parked: [...rest, entry] });
    },
    unpark() {
      const other = theirs();
      const record = other && { ...other, parked: without(other.parked ?? [], tab) };
      if (kept.isUnsent(record)) kept.write(pair, record); else kept.forget(pair);
    },

    // What has reached the server, or was decided on, is no longer kept.
    drop(name) { parked = without(parked, name); },
    dropSame(values) { parked = parked.filter((one) => !saysSame(one.fields, values)); },
    // All of this tab's has arrived.
    release(values, base) {
      const other = theirs();
      if (kept.isUnsent(other)) return this.keep({ fields: values, base, dirty: false, active_s: 0 });
      if (parked.length) put({ tab, fields: values, base, dirty: false, active_s: 0, parked }); else kept.forget(pair);
    },
  };
})();
