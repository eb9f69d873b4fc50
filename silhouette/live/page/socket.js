// Requests and answers over one WebSocket, as silhouette/live/README.md has them; a lost connection is made again.
const PATIENCE = [0.3, 0.6, 1, 2, 4]; // s before each try
const WRONG_TOKEN = 4401;

export class Connection {
  constructor(address, token) {
    this.address = address;
    this.token = token;
    this.waiting = new Map();
    this.last = 0;
    this.tries = 0;
    this.open = false;
    this.opened = () => {};
    this.lost = () => {};
    this.event = () => {};
  }

  start() {
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.addEventListener("open", () => socket.send(JSON.stringify({ token: this.token })));
    socket.addEventListener("message", ({ data }) => this.#heard(data));
    socket.addEventListener("close", ({ code, reason }) => this.#closed(socket, code, reason));
  }

  ask(request) {
    if (!this.open) return Promise.reject(new Error("there is no connection"));
    const id = (this.last += 1);
    const asked = new Promise((done, failed) => this.waiting.set(id, { done, failed }));
    this.socket.send(JSON.stringify({ id, ...request }));
    return Object.assign(asked, { id });
  }

  // Bytes, once the socket has sent most of what went before.
  async send(bytes, ahead) {
    while (this.open && this.socket.bufferedAmount > ahead) await new Promise((done) => setTimeout(done, 20));
    if (!this.open) throw new Error("the connection was lost");
    this.socket.send(bytes);
  }

  #heard(data) {
    const message = JSON.parse(data);
    if (message.event === "welcome") {
      this.open = true;
      this.tries = 0;
      if (message.token) this.#lasting(message.token);
      this.opened(message);
    } else if (message.event) {
      this.event(message);
    } else {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) waiting?.failed(new Error(message.error));
      else waiting?.done(message);
    }
  }

  // The address had a token that opens one session; this one opens the next.
  #lasting(token) {
    this.token = token;
    history.replaceState(null, "", `#${token}`);
  }

  #closed(socket, code, reason) {
    if (socket !== this.socket) return;
    this.open = false;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { failed } of waiting) failed(Object.assign(new Error("the connection was lost"), { lost: true }));
    if (code === WRONG_TOKEN) {
      this.lost(reason || "This is not the address of the table.", null);
      return;
    }
    const seconds = PATIENCE[Math.min(this.tries, PATIENCE.length - 1)];
    this.tries += 1;
    this.lost(reason, seconds);
    setTimeout(() => this.start(), 1000 * seconds);
  }
}
