import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * A caller that is still sending when it is answered may go on for so long: one that reads the answer only after
 * its last byte would otherwise never see it.
 */
const maxMs = 30_000;
const maxBytes = 64 * 1024 * 1024;
const lookEveryMs = 1000;

/** Sees to it that a body that goes on after its answer ends soon, or its connection does. */
export function boundRest(message: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (message.complete || message.destroyed) return;
    const { socket } = message;
    const most = socket.bytesRead + maxBytes;
    let turnsLeft = maxMs / lookEveryMs;
    message.once('error', () => {}); // the cut itself: nobody reads on
    message.resume();
    const look = setInterval(() => {
      turnsLeft -= 1;
      if (!message.complete && !socket.destroyed && turnsLeft > 0 && socket.bytesRead <= most) return;
      clearInterval(look);
      if (!message.complete) socket.destroy();
    }, lookEveryMs);
    look.unref();
  });
}

/** While this is so, connections end with their next answer. */
export function tellToClose(app: FastifyInstance, isSo: () => boolean): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isSo()) {
      done(null, payload);
      return;
    }
    // What is still on its way would turn that end into a reset.
    void restRead(request.raw).then(() => {
      reply.header('connection', 'close');
      done(null, payload);
    });
  });
}

/** As long as a caller waits that is told to close its connection. */
const maxWaitMs = 5000;

/** Resolves once the whole body has arrived and is thrown away, or after a while. */
function restRead(message: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (message.complete || message.destroyed) {
      resolve();
      return;
    }
    const timer = setTimeout(finish, maxWaitMs);
    function finish() {
      clearTimeout(timer);
      message.off('end', finish).off('close', finish).off('error', finish);
      resolve();
    }
    message.on('end', finish).on('close', finish).on('error', finish).resume();
  });
}

/** How long a connection lives on after the last answer on it, so that the answer is read before it ends. */
const lingerMs = 2000;

/** Ends a connection with these last words, whatever the other side does. */
export function endWith(socket: IncomingMessage['socket'], text: string): void {
  socket.end(text);
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  cut.unref();
  socket.once('close', () => clearTimeout(cut));
}
