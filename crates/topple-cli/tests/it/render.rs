//! Pictures: that they are there, have the right size, show the bodies, and are the same every time.

use crate::support::{Bench, STACK};
use std::path::Path;

/// Width, height and pixels.
fn picture(path: &Path) -> (u32, u32, Vec<u8>) {
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

#[test]
fn a_red_ball_is_in_the_middle_in_space() {
    let bench = Bench::new();
    bench.write(
        "x.scene",
        "world { }\nplane { normal 0,1,0  toOrig 0 }\nsphere { radius 1  centre 0,1,0  colour red }",
    );
    bench.good("render x.scene -o x.png --size 80x60");
    let (width, height, pixels) = picture(&bench.path("x.png"));
    assert_eq!((width, height), (80, 60));
    let at = |x: usize, y: usize| &pixels[(y * 80 + x) * 3..(y * 80 + x) * 3 + 3];
    let middle = at(40, 30);
    assert!(middle[0] > 80 && middle[0] > 2 * middle[1], "{middle:?} in the middle");
    let corner = at(2, 57);
    assert!(corner[0].abs_diff(corner[1]) < 40, "{corner:?} on the floor");
}

#[test]
fn the_plane_is_drawn_and_frames_move() {
    let bench = Bench::new();
    bench.write("x.scene", STACK);
    bench.good("render x.scene -o a.png --size 64x48");
    bench.good("render x.scene -o b.png --size 64x48 --threads 1");
    bench.good("render x.scene -o c.png --size 64x48 --frames 30");
    let read = |name: &str| picture(&bench.path(name)).2;
    assert_eq!(read("a.png"), read("b.png"));
    assert_ne!(read("a.png"), read("c.png"));
}

#[test]
fn a_folder_gets_frames_at_the_rate() {
    let bench = Bench::new();
    bench.write("x.scene", STACK);
    bench.good("render x.scene -o frames/ --size 32x24 --frames 0..30 --fps 10 --effects none");
    let mut names: Vec<_> =
        std::fs::read_dir(bench.path("frames")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "frame_00000.png",
            "frame_00001.png",
            "frame_00002.png",
            "frame_00003.png",
            "frame_00004.png",
            "frame_00005.png"
        ]
    );
}

#[test]
fn an_empty_world_and_a_saved_one_can_be_drawn() {
    let bench = Bench::new();
    bench.write("empty.scene", "");
    bench.good("render empty.scene -o e.png --size 16x16");
    bench.write("x.scene", STACK);
    bench.good("run x.scene -n 30 --save s.topple");
    bench.good("render s.topple -o s.png --size 64x48 --frames 30");
    bench.good("render x.scene -o x.png --size 64x48 --frames 30");
    assert_eq!(picture(&bench.path("s.png")).2, picture(&bench.path("x.png")).2);
}
