import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** What the archive says, where it differs from what is true. */
  readonly says?: {
    readonly flags?: number;
    readonly method?: number;
    readonly crc?: number;
    readonly compressedSize?: number;
    readonly size?: number;
    readonly mode?: number;
    readonly headerOffset?: number;
    readonly extraLength?: number;
  };
}

/** A zip archive by hand, also of the kinds that no program would make. */
export function zip(entries: readonly ZipEntry[], statedCount = entries.length): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', says = {} } of entries) {
    const bytes = Buffer.from(content);
    const data = says.method === 0 ? bytes : deflateRawSync(bytes);
    const nameBytes = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (says.flags ?? 0), 2);
    common.writeUInt16LE(says.method ?? 8, 4);
    common.writeUInt32LE(says.crc ?? crc32(bytes), 10);
    common.writeUInt32LE(says.compressedSize ?? data.length, 14);
    common.writeUInt32LE(says.size ?? bytes.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, nameBytes, data]);
    local.writeUInt16LE(says.extraLength ?? 0, 28);
    parts.push(local);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(((says.mode ?? 0) << 16) >>> 0, 6);
    tail.writeUInt32LE(says.headerOffset ?? offset, 10);
    list.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, tail, nameBytes);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(statedCount, 8);
  end.writeUInt16LE(statedCount, 10);
  end.writeUInt32LE(Buffer.concat(list).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...list, end]);
}
