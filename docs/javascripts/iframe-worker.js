// A browser gives pages that are opened as files no workers: the search then runs in a frame of the page.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.window = new Promise((ready) => {
        this.frame.addEventListener("load", () => {
          const inside = this.frame.contentWindow, script = inside.document.createElement("script");
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          script.addEventListener("load", () => ready(inside));
          script.src = address;
          inside.document.body.append(script);
        }, { once: true });
      });
      document.body.append(this.frame);
    }

    async postMessage(data) {
      const inside = await this.window;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
