//! Tiles in pieces: each pixel in one of them, each piece no larger than asked for, and all of them the tile.

use attnlab::attention::SplitMix64;
use attnlab::long::generate::{Kind, generate};
use attnlab::long::{Asked, Cpu, Engine, LongError, Of, Piece, Pool, Rule, Tile};

use super::rules;

#[test]
fn pieces_side_by_side_are_the_tile() {
    let n = 330;
    let generated = generate(Kind::Random, n, 5, 9);
    let mut random = SplitMix64(2);
    let mut below = |most: usize| random.next() as usize % most;
    for rule in rules(n) {
        let asked = Asked::new(generated.sequence().unwrap(), rule).unwrap();
        let attended = Cpu.attend(&asked).unwrap();
        for of in [Of::Scores, Of::Weights] {
            let (rows, keys) = (below(50)..200 + below(130), below(50)..200 + below(130));
            let (height, width) = (1 + below(rows.len()), 1 + below(keys.len()));
            let tile = Tile { rows, keys, height, width, pool: Pool::Max, of };
            for (rows, keys) in [(1, 1), (64, 100), (100, 64), (usize::MAX, usize::MAX)] {
                let mut pixels = vec![f32::NAN; height * width];
                let mut placed = 0;
                for piece in tile.pieces(rows, keys) {
                    let part = tile.part(&piece, &asked, &attended).unwrap();
                    let (down, across) = (part.rows.cells().len(), part.keys.cells().len());
                    assert!((down <= rows || piece.down.len() == 1) && (across <= keys || piece.across.len() == 1));
                    assert_eq!((part.q.len(), part.k.len(), part.sum.len()), (down * 5, across * 5, down));
                    let made = attnlab_kernel::tile(&part);
                    tile.place(&piece, &made, &mut pixels).unwrap();
                    placed += made.len();
                }
                assert_eq!(placed, pixels.len(), "a pixel is in two pieces");
                assert_eq!(pixels, Cpu.tile(&asked, &attended, &tile).unwrap(), "{tile:?}, {rows} × {keys}");
            }
        }
    }
}

#[test]
fn a_piece_that_cannot_be_is_refused() {
    let generated = generate(Kind::Random, 20, 2, 2);
    let asked = Asked::new(generated.sequence().unwrap(), Rule::default()).unwrap();
    let attended = Cpu.attend(&asked).unwrap();
    let tile = Tile { rows: 0..20, keys: 0..20, height: 4, width: 5, pool: Pool::Max, of: Of::Scores };
    let piece = |down, across| Piece { down, across };
    for bad in [piece(0..5, 0..5), piece(0..4, 0..6), piece(2..2, 0..5), piece(0..4, 5..5)] {
        assert!(matches!(tile.part(&bad, &asked, &attended), Err(LongError::Range { .. })), "{bad:?}");
        assert!(matches!(tile.place(&bad, &[], &mut [0.0; 20]), Err(LongError::Range { .. })), "{bad:?}");
    }
    let whole = piece(0..4, 0..5);
    assert!(matches!(tile.place(&whole, &[0.0; 19], &mut [0.0; 20]), Err(LongError::Length { place: "a piece", .. })));
    assert!(matches!(tile.place(&whole, &[0.0; 20], &mut [0.0; 21]), Err(LongError::Length { place: "the tile", .. })));
    let outside = Tile { rows: 0..21, ..tile };
    assert!(matches!(outside.part(&whole, &asked, &attended), Err(LongError::Range { place: "rows", .. })));
}
