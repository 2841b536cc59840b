export declare const platforms: Record<string, { os: string; arch: string; zig: string; binary: string }>;
export declare function platformOf(bytes: Uint8Array): string;
