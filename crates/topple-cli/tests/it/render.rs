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

#[test]
fn joints_springs_and_sensors_are_drawn() {
    let bench = Bench::new();
    let flat = "world { dimension 2 }\nbox a { static  size 1,1  centre 0,4 }\ncircle b { radius 0.5  centre 0,-4 }\n\
                camera { at 0,0  height 12 }\n";
    bench.write("without.scene", flat);
    bench.write("rope.scene", format!("{flat}joint rope {{ a b  b a }}"));
    bench.write("spring.scene", format!("{flat}force spring {{ a b  b a }}"));
    bench.write("sensor.scene", format!("{flat}box g {{ static  sensor  size 3,3  colour 1,0,0 }}"));
    let middle = |name: &str| -> Vec<u8> {
        bench.good(&format!("render {name}.scene -o {name}.png --size 90x90"));
        let (width, _, pixels) = picture(&bench.path(&format!("{name}.png")));
        // A band across the middle, off the lines of the paper.
        let row = 47 * width as usize * 3;
        pixels[row + 40 * 3..row + 50 * 3].to_vec()
    };
    let plain = middle("without");
    let darkest = |pixels: &[u8]| pixels.iter().copied().min().unwrap();
    assert!(darkest(&plain) > 200, "{plain:?}");
    assert!(darkest(&middle("rope")) < 140);
    assert!(darkest(&middle("spring")) < 170);
    let seen = middle("sensor");
    assert!(seen[0] > seen[1] + 20 && seen[1] > 120, "{seen:?} is paper seen through red");
}

#[test]
fn a_camera_goes_along_with_what_it_follows() {
    let bench = Bench::new();
    let moving = "world { gravity 0,0,0 }\nsphere ball { radius 1  vel 30,0,0  colour red }\ncamera { at 0,2,9  follow ball }\n";
    bench.write("x.scene", moving);
    for frame in ["0", "60"] {
        bench.good(&format!("render x.scene -o f{frame}.png --size 60x40 --frames {frame}"));
        let (width, _, pixels) = picture(&bench.path(&format!("f{frame}.png")));
        let at = (20 * width as usize + 30) * 3;
        assert!(pixels[at] > 2 * pixels[at + 1], "frame {frame}: {:?}", &pixels[at..at + 3]);
        // And it is as large as before.
        let edge = (20 * width as usize + 10) * 3;
        assert!(
            pixels[edge] <= pixels[edge + 2].saturating_add(20),
            "frame {frame}: {:?}",
            &pixels[edge..edge + 3]
        );
    }
}
