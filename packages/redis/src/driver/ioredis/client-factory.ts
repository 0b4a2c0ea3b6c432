import type { MakeCommand } from './connection.ts';
import {
  type ClientCommand,
  type ClientCommandClass,
  type NodeClient,
  type NodeOptions,
  isNodeClient,
  notIoredis,
} from './instance.ts';

/** Makes clients from the options of one that the user made, and commands for them. */
export interface ClientFactory {
  readonly options: NodeOptions;
  readonly make: (options: object) => NodeClient;
  readonly makeCommand: MakeCommand;
}

/** @param sample a client that is not connected, with the options to start from */
export function clientFactory(sample: unknown): ClientFactory {
  if (!isNodeClient(sample)) throw notIoredis('this instance');
  return {
    options: sample.options,
    make: (options) => {
      const client = sample.duplicate(options);
      if (!isNodeClient(client)) throw notIoredis('what its duplicate() gives');
      return client;
    },
    makeCommand: commandMaker(commandClassOf(sample)),
  };
}

/** Instances bring their library along, so that nothing is imported: the class of its commands is that of one it makes. */
function commandClassOf(sample: NodeClient): ClientCommandClass {
  const made: ClientCommand[] = [];
  const probe = Object.create(sample, {
    sendCommand: { value: (command: ClientCommand) => made.push(command) },
    options: { value: { ...sample.options, enableAutoPipelining: false } },
  }) as NodeClient;
  probe.call('PING');
  const constructor: unknown = made[0]?.constructor;
  if (isCommandClass(constructor)) return constructor;
  throw notIoredis('this instance');
}

function isCommandClass(value: unknown): value is ClientCommandClass {
  if (typeof value !== 'function') return false;
  const prototype: unknown = value.prototype;
  return typeof prototype === 'object' && prototype !== null && 'toWritable' in prototype;
}

/** ioredis sends what `toWritable` gives it, so arguments are not copied, checked and measured again. */
function commandMaker(Command: ClientCommandClass): MakeCommand {
  class EncodedCommand extends Command {
    readonly #payload: Buffer;

    constructor(name: string, payload: Buffer, binary: boolean) {
      super(name, [], { replyEncoding: binary ? null : 'utf8' });
      this.#payload = payload;
    }

    override toWritable(): Buffer {
      return this.#payload;
    }
  }
  return (name, payload, binary) => new EncodedCommand(name, payload, binary);
}
