/** A dashboard's grid. */

/** A rectangle of a dashboard, in units of its grid. */
interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Pairs of rectangles that overlap, by index. */
export function overlaps(places: readonly Place[]): [number, number][] {
  const meet = (a: Place, b: Place) =>
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  return places.flatMap((one, first) =>
    places.flatMap((other, second): [number, number][] =>
      first < second && meet(one, other) ? [[first, second]] : [],
    ),
  );
}
