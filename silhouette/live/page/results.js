// The verdicts of the watched pairs: those of the newest pose, and never any older ones.

const key = ([attacker, target]) => JSON.stringify([attacker, target]);

export class Verdicts {
  constructor(table) {
    this.table = table;
    this.asked = null;
    this.asking = 0;
    this.pose = -1;
    this.rows = new Map();
    this.whole = true;
    this.view = null; // of the chosen pair, until its pose is shown
    this.waiting = [];
  }

  // The pairs of the selected model: as attacker, then as target, in the scene's order.
  get pairs() {
    const { selected, models } = this.table;
    if (!models.some(({ name }) => name === selected)) return [];
    const others = models.map(({ name }) => name).filter((name) => name !== selected);
    return [...others.map((name) => [selected, name]), ...others.map((name) => [name, selected])];
  }

  get settled() {
    if (this.asking) return false;
    return !this.asked?.selected || (this.whole && this.pose === this.table.pose);
  }

  // The result of a pair at the newest pose; null while it is under way.
  row(pair) {
    return (this.pose === this.table.pose && pair && this.rows.get(key(pair))) || null;
  }

  // The table shows a pose: what was heard of it before can be shown as well.
  taken() {
    if (this.view?.pose !== this.table.pose) return;
    const { view } = this;
    this.view = null;
    this.table.tell("view", view);
  }

  // Of another connection: poses are counted anew.
  forget() {
    this.pose = -1;
    this.rows.clear();
    this.lost = true;
  }

  // All results of the selected model that are known for the newest pose.
  get known() {
    return this.pairs.map((pair) => this.row(pair)).filter(Boolean);
  }

  async watch(selected, chosen) {
    const { connection, connected } = this.table;
    const asked = { selected, chosen };
    if (JSON.stringify(asked) === JSON.stringify(this.asked) && connected && !this.lost) return;
    this.asked = asked;
    if (!connected) return;
    this.lost = false;
    this.asking += 1;
    this.whole = false;
    this.table.tell("results");
    try {
      await connection.ask({ do: "watch", ...asked });
    } catch (error) {
      if (error.lost) this.lost = true;
      else this.table.tell("failed", { error });
    } finally {
      this.asking -= 1;
      this.table.tell("results");
    }
  }

  // A hand rests: all are judged, and not the chosen pair alone.
  rested() {
    if (this.whole || !this.asked?.selected) return;
    this.table.connection.ask({ do: "watch", ...this.asked }).catch(() => {});
  }

  heard({ pose, pairs, results, settled, view, error }) {
    const newest = Math.max(this.pose, this.table.pose);
    if (pose < newest || this.asking) return;
    if (pose > this.pose) {
      this.pose = pose;
      this.rows.clear();
      this.whole = false;
    }
    pairs.forEach((pair, index) => {
      if (results[index]) this.rows.set(key(pair), results[index]);
    });
    if (view) this.view = { pair: results[0] && [results[0].attacker, results[0].target], pose, view };
    this.taken();
    if (error) this.table.tell("failed", { error: new Error(error) });
    this.whole = this.whole || settled;
    for (const wait of this.waiting.splice(0)) {
      if (wait.pose > pose || (wait.pose === pose && !this.rows.has(wait.key) && !settled)) this.waiting.push(wait);
      else wait.done();
    }
    if (pose === this.table.pose) this.table.tell("results");
  }

  // Resolves when the verdict of a pair is there for a pose or a later one, or has let wait for so many ms.
  verdict(pair, pose, most) {
    if (this.pose >= pose && (this.whole || this.rows.has(key(pair)))) return Promise.resolve();
    return new Promise((done) => {
      this.waiting.push({ key: key(pair), pose, done });
      setTimeout(done, most);
    });
  }
}
